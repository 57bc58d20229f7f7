// Every setting of the table: its default, good values, and what is said about bad ones.
#include <algorithm>
#include <set>

#include "plugin/config/settings_table.h"
#include "plugin/config/text.h"
#include "tests/catch.h"
#include "tests/unit/config/environment.h"

namespace netsense::config {
namespace {

const Setting& setting(std::string_view name) {
  for (const Setting& entry : settings_table()) {
    if (entry.name == name) return entry;
  }
  throw std::out_of_range("no setting " + std::string(name));
}

struct Good {
  std::string_view name;
  std::string_view text;
  std::string_view printed;
  bool from_nccl = false;
};

struct Bad {
  std::string_view name;
  std::string_view text;
  std::string_view nearest;
  bool from_nccl = false;
};

const Good kGood[] = {
    {"NETSENSE_IFNAME", "eth,en", "eth,en"},
    {"NETSENSE_IFNAME", "^=eth1", "^=eth1"},
    {"NETSENSE_IFNAME", "=eth0:5000", "=eth0:5000", true},
    {"NETSENSE_FAMILY", "auto", "auto"},
    {"NETSENSE_FAMILY", "IPv6", "ipv6"},
    {"NETSENSE_FAMILY", "AF_INET", "ipv4", true},
    {"NETSENSE_FAMILY", "AF_INET6", "ipv6", true},
    {"NETSENSE_TCP_STREAMS", "1", "1"},
    {"NETSENSE_TCP_STREAMS", "16", "16"},
    {"NETSENSE_TCP_STREAMS", "AUTO", "auto"},
    {"NETSENSE_TCP_THREADS", "0", "0"},
    {"NETSENSE_TCP_THREADS", "16", "16"},
    {"NETSENSE_TCP_THREADS", "auto", "auto"},
    {"NETSENSE_TCP_CONGESTION", "bbr", "bbr"},
    {"NETSENSE_TCP_CONGESTION", "bbr2_ecn-x", "bbr2_ecn-x"},
    {"NETSENSE_BLOCK_SIZE", "4096", "4K"},
    {"NETSENSE_BLOCK_SIZE", "4M", "4M"},
    {"NETSENSE_BLOCK_SIZE", "64kb", "64K"},
    {"NETSENSE_BLOCK_SIZE", "1 MiB", "1M"},
    {"NETSENSE_BLOCK_SIZE", "5000", "5000"},
    {"NETSENSE_CHECKSUM", "0", "off"},
    {"NETSENSE_CHECKSUM", "False", "off"},
    {"NETSENSE_CHECKSUM", "yes", "on"},
    {"NETSENSE_MODE", "off", "off"},
    {"NETSENSE_MODE", "Lossless", "lossless"},
    {"NETSENSE_MODE", "adaptive", "adaptive"},
    {"NETSENSE_CODEC", "auto", "auto"},
    {"NETSENSE_CODEC", "fast", "fast"},
    {"NETSENSE_CODEC", "TIGHT", "tight"},
    {"NETSENSE_MIN_SIZE", "1", "1"},
    {"NETSENSE_MIN_SIZE", "1M", "1M"},
    {"NETSENSE_LOSSY_CONTROLLER", "Model", "model"},
    {"NETSENSE_LOSSY_CONTROLLER", "netsenseml", "netsenseml"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:lossless", "fixed:lossless"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:q2", "fixed:q2"},
    {"NETSENSE_LOSSY_CONTROLLER", "FIXED:Q8", "fixed:q8"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top0.010q4", "fixed:top0.01q4"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top1q4", "fixed:q4"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top0.0001q2", "fixed:top0.0001q2"},
    {"NETSENSE_LOSSY_OPS", "reduce_scatter, All_Reduce", "all_reduce,reduce_scatter"},
    {"NETSENSE_LOSSY_OPS", "reduce_scatter", "reduce_scatter"},
    {"NETSENSE_LOSSY_MIN_SIZE", "1", "1"},
    {"NETSENSE_LOSSY_MIN_SIZE", "1024G", "1024G"},
    {"NETSENSE_LOSSY_MIN_KEEP", "0.001", "0.001"},
    {"NETSENSE_LOSSY_MIN_KEEP", "1", "1"},
    {"NETSENSE_LOSSY_MIN_KEEP", "0.01000049", "0.01"},
    {"NETSENSE_LOSSY_MAX_ERROR", "0", "0"},
    {"NETSENSE_LOSSY_MAX_ERROR", "0.000001", "0.000001"},
    {"NETSENSE_LOSSY_WARMUP", "0", "0"},
    {"NETSENSE_LOSSY_WARMUP", "1000000000", "1000000000"},
    {"NETSENSE_LOSSY_RESIDUALS", "0", "0"},
    {"NETSENSE_LOSSY_RESIDUALS", "16384G", "16384G"},
    {"NETSENSE_LOSSY_RESIDUAL_TYPE", "BF16", "bf16"},
    {"NETSENSE_QUEUE_TARGET", "5ms", "0.005"},
    {"NETSENSE_QUEUE_TARGET", "10", "10"},
    {"NETSENSE_CONNECT_TIMEOUT", "0.1", "0.1"},
    {"NETSENSE_CONNECT_TIMEOUT", "1.5", "1.5"},
    {"NETSENSE_CONNECT_TIMEOUT", "1.0009", "1"},
    {"NETSENSE_CONNECT_TIMEOUT", "1500ms", "1.5"},
    {"NETSENSE_CONNECT_TIMEOUT", "20 s", "20"},
    {"NETSENSE_PEER_TIMEOUT", "86400", "86400"},
    {"NETSENSE_ABORT_ON_ERROR", "on", "on"},
    {"NETSENSE_ABORT_ON_ERROR", "1", "on"},
    {"NETSENSE_STATS", "off", "off"},
    {"NETSENSE_STATS_DIR", "/run/user/1000", "/run/user/1000"},
    {"NETSENSE_TRACE", "./%h.%p.trace", "./%h.%p.trace"},
    {"NETSENSE_TRACE", "./traces", "./traces"},
    {"NETSENSE_TRACE", "a.trace", "a.trace"},
    {"NETSENSE_TRACE_LIMIT", "64K", "64K"},
    {"NETSENSE_TRACE_LIMIT", "1024G", "1024G"},
};

const Bad kBad[] = {
    {"NETSENSE_IFNAME", "^", ""},
    {"NETSENSE_IFNAME", "e", ""},
    {"NETSENSE_IFNAME", "^=", ""},
    {"NETSENSE_IFNAME", ",,", ""},
    {"NETSENSE_FAMILY", "ip4", "ipv4"},
    {"NETSENSE_FAMILY", "AF_INET6", "", false},
    {"NETSENSE_FAMILY", "something else entirely, and longer", ""},
    {"NETSENSE_FAMILY", "ipv4", "", true},
    {"NETSENSE_FAMILY", "af_inet", "AF_INET", true},
    {"NETSENSE_TCP_STREAMS", "0", "1"},
    {"NETSENSE_TCP_STREAMS", "17", "16"},
    {"NETSENSE_TCP_STREAMS", "18446744073709551615", "16"},
    {"NETSENSE_TCP_STREAMS", "18446744073709551616", ""},
    {"NETSENSE_TCP_STREAMS", "-1", ""},
    {"NETSENSE_TCP_STREAMS", "4x", ""},
    {"NETSENSE_TCP_STREAMS", "atuo", "auto"},
    {"NETSENSE_TCP_THREADS", "17", "16"},
    {"NETSENSE_TCP_CONGESTION", "BBR", ""},
    {"NETSENSE_TCP_CONGESTION", "a_name_far_too_long", ""},
    {"NETSENSE_BLOCK_SIZE", "1", "4K"},
    {"NETSENSE_BLOCK_SIZE", "1G", "4M"},
    {"NETSENSE_BLOCK_SIZE", "99999999999G", ""},
    {"NETSENSE_BLOCK_SIZE", "K", ""},
    {"NETSENSE_BLOCK_SIZE", "b", ""},
    {"NETSENSE_CHECKSUM", "of", "off"},
    {"NETSENSE_CHECKSUM", "ture", "true"},
    {"NETSENSE_CHECKSUM", "2", ""},
    {"NETSENSE_MODE", "on", ""},
    {"NETSENSE_MODE", "losless", "lossless"},
    {"NETSENSE_CODEC", "fats", "fast"},
    {"NETSENSE_CODEC", "zstd", ""},
    {"NETSENSE_MIN_SIZE", "0", "1"},
    {"NETSENSE_MIN_SIZE", "2G", "1G"},
    {"NETSENSE_MODE", "adaptiv", "adaptive"},
    {"NETSENSE_LOSSY_CONTROLLER", "modle", "model"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed", ""},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:", ""},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:losless", "fixed:lossless"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:q9", "fixed:q8"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:q1", "fixed:q2"},
    {"NETSENSE_LOSSY_CONTROLLER", "q4", "fixed:q4"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top2q9", "fixed:q8"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top0q4", "fixed:top0.0001q4"},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top0.1", ""},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top-0.1q4", ""},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:top1e-2q4", ""},
    {"NETSENSE_LOSSY_CONTROLLER", "fixed:q4 q4", ""},
    {"NETSENSE_LOSSY_OPS", "allreduce", "all_reduce"},
    {"NETSENSE_LOSSY_OPS", "reduce_scatter,broadcast", ""},
    {"NETSENSE_LOSSY_OPS", "reduce_scatter,", ""},
    {"NETSENSE_LOSSY_OPS", "al_reduce,reducescatter", "all_reduce,reduce_scatter"},
    {"NETSENSE_LOSSY_MIN_SIZE", "0", "1"},
    {"NETSENSE_LOSSY_MIN_KEEP", "0", "0.001"},
    {"NETSENSE_LOSSY_MIN_KEEP", "1.1", "1"},
    {"NETSENSE_LOSSY_MIN_KEEP", ".5", ""},
    {"NETSENSE_LOSSY_MIN_KEEP", "1e-2", ""},
    {"NETSENSE_LOSSY_MAX_ERROR", "2", "1"},
    {"NETSENSE_LOSSY_MAX_ERROR", "nan", ""},
    {"NETSENSE_LOSSY_WARMUP", "-1", ""},
    {"NETSENSE_LOSSY_WARMUP", "auto", ""},
    {"NETSENSE_LOSSY_WARMUP", "4000000000", "1000000000"},
    {"NETSENSE_LOSSY_RESIDUALS", "none", ""},
    {"NETSENSE_LOSSY_RESIDUALS", "99999G", "16384G"},
    {"NETSENSE_LOSSY_RESIDUAL_TYPE", "fp32", "f32"},
    {"NETSENSE_QUEUE_TARGET", "0", "0.001"},
    {"NETSENSE_QUEUE_TARGET", "11", "10"},
    {"NETSENSE_CONNECT_TIMEOUT", "0", "0.1"},
    {"NETSENSE_CONNECT_TIMEOUT", "1000000", "86400"},
    {"NETSENSE_CONNECT_TIMEOUT", "1.", ""},
    {"NETSENSE_CONNECT_TIMEOUT", "1.5ms", ""},
    {"NETSENSE_CONNECT_TIMEOUT", "1e3", ""},
    {"NETSENSE_CONNECT_TIMEOUT", "inf", ""},
    {"NETSENSE_PEER_TIMEOUT", "50ms", "0.1"},
    {"NETSENSE_ABORT_ON_ERROR", "yess", "yes"},
    {"NETSENSE_STATS", "offf", "off"},
    {"NETSENSE_STATS_DIR", "shm", ""},
    {"NETSENSE_STATS_DIR", "/dev/shm\n", ""},
    {"NETSENSE_TRACE", "1", ""},
    {"NETSENSE_TRACE", "on", ""},
    {"NETSENSE_TRACE", "./a\n", ""},
    {"NETSENSE_TRACE_LIMIT", "1K", "64K"},
    {"NETSENSE_TRACE_LIMIT", "2048G", "1024G"},
};

}  // namespace

TEST_CASE("names are unique, ours, and annotated") {
  std::set<std::string_view> names;
  for (const Setting& entry : settings_table()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(entry.name.starts_with("NETSENSE_"));
    CHECK((entry.nccl_variable.empty() || entry.nccl_variable.starts_with("NCCL_")));
    CHECK(entry.help.ends_with('.'));
    CHECK_FALSE(allowed_values(entry, false).empty());
    CHECK(print_value(entry, Settings{}).empty() == !entry.empty_means.empty());
  }
}

TEST_CASE("what a default prints as is read back as the default") {
  for (const Setting& entry : settings_table()) {
    INFO(entry.name);
    const std::string text = print_value(entry, Settings{});
    if (text.empty()) continue;
    Settings settings;
    REQUIRE(parse_value(entry, text, false, &settings));
    CHECK(print_value(entry, settings) == text);
  }
}

TEST_CASE("good values are taken") {
  for (const Good& good : kGood) {
    INFO(good.name << "=" << good.text);
    Settings settings;
    CHECK(parse_value(setting(good.name), good.text, good.from_nccl, &settings));
    CHECK(print_value(setting(good.name), settings) == good.printed);
  }
}

TEST_CASE("bad values change nothing, and the value probably meant is named") {
  for (const Bad& bad : kBad) {
    INFO(bad.name << "=" << bad.text);
    const Setting& entry = setting(bad.name);
    Settings settings;
    CHECK_FALSE(parse_value(entry, bad.text, bad.from_nccl, &settings));
    CHECK(print_value(entry, settings) == print_value(entry, Settings{}));
    const std::string nearest = nearest_value(entry, bad.text, bad.from_nccl);
    CHECK(nearest == bad.nearest);
    if (!nearest.empty()) CHECK(parse_value(entry, nearest, bad.from_nccl, &settings));
  }
}

TEST_CASE("the start-up line tells exact modes from the one that rounds") {
  Settings settings;
  CHECK_FALSE(contains(describe_compression(settings), "round"));
  settings.mode = Mode::kAdaptive;
  CHECK(contains(describe_compression(settings), "lossless compression of messages from 64 KiB"));
  CHECK(contains(describe_compression(settings), "sums of f32, f16 and bf16 in all_reduce of 1024 KiB and more are rounded"));
  settings.mode = Mode::kOff;
  CHECK(describe_compression(settings) == "no compression");
}

TEST_CASE("every setting has a good and a bad value in these tests") {
  for (const Setting& entry : settings_table()) {
    INFO(entry.name);
    const auto is_this = [&](const auto& example) { return example.name == entry.name; };
    CHECK(std::any_of(std::begin(kGood), std::end(kGood), is_this));
    CHECK(std::any_of(std::begin(kBad), std::end(kBad), is_this));
  }
}

TEST_CASE("values land in the field they are named after") {
  const LoadedSettings loaded = load({"NETSENSE_IFNAME=eth0",
                                      "NETSENSE_FAMILY=ipv6",
                                      "NETSENSE_TCP_STREAMS=3",
                                      "NETSENSE_TCP_THREADS=5",
                                      "NETSENSE_TCP_CONGESTION=bbr",
                                      "NETSENSE_BLOCK_SIZE=64K",
                                      "NETSENSE_CHECKSUM=off",
                                      "NETSENSE_MODE=off",
                                      "NETSENSE_CODEC=tight",
                                      "NETSENSE_MIN_SIZE=2M",
                                      "NETSENSE_CONNECT_TIMEOUT=2.5",
                                      "NETSENSE_PEER_TIMEOUT=7",
                                      "NETSENSE_ABORT_ON_ERROR=1",
                                      "NETSENSE_STATS=off",
                                      "NETSENSE_STATS_DIR=/run/stats",
                                      "NETSENSE_TRACE=/run/traces",
                                      "NETSENSE_TRACE_LIMIT=3M",
                                      "NETSENSE_LOSSY_CONTROLLER=fixed:top0.25q5",
                                      "NETSENSE_LOSSY_OPS=reduce_scatter,all_reduce",
                                      "NETSENSE_LOSSY_MIN_SIZE=3M",
                                      "NETSENSE_LOSSY_MIN_KEEP=0.02",
                                      "NETSENSE_LOSSY_MAX_ERROR=0.3",
                                      "NETSENSE_LOSSY_WARMUP=40",
                                      "NETSENSE_LOSSY_RESIDUALS=1G",
                                      "NETSENSE_LOSSY_RESIDUAL_TYPE=bf16",
                                      "NETSENSE_QUEUE_TARGET=20ms"});
  CHECK(loaded.problems.empty());
  CHECK(loaded.values.size() == settings_table().size());
  for (const SettingValue& value : loaded.values) CHECK(value.source == Source::kNetsense);
  CHECK(loaded.settings.interfaces == "eth0");
  CHECK(loaded.settings.family == AddressFamily::kIpv6);
  CHECK(loaded.settings.tcp_streams == 3);
  CHECK(loaded.settings.tcp_threads == 5);
  CHECK(loaded.settings.tcp_congestion == "bbr");
  CHECK(loaded.settings.block_bytes == 65536);
  CHECK_FALSE(loaded.settings.checksum);
  CHECK(loaded.settings.mode == Mode::kOff);
  CHECK(loaded.settings.codec == CodecChoice::kTight);
  CHECK(loaded.settings.min_coded_bytes == size_t{2} << 20);
  CHECK(loaded.settings.connect_timeout.count() == 2500);
  CHECK(loaded.settings.peer_timeout.count() == 7000);
  CHECK(loaded.settings.abort_on_error);
  CHECK_FALSE(loaded.settings.statistics);
  CHECK(loaded.settings.statistics_directory == "/run/stats");
  CHECK(loaded.settings.trace == "/run/traces");
  CHECK(loaded.settings.trace_limit == size_t{3} << 20);
  CHECK(loaded.settings.lossy_controller.rule == LossyRule::kFixed);
  CHECK(loaded.settings.lossy_controller.bits == 5);
  CHECK(loaded.settings.lossy_controller.keep == 0.25);
  CHECK(loaded.settings.lossy_ops == 3);
  CHECK(loaded.settings.lossy_min_bytes == size_t{3} << 20);
  CHECK(loaded.settings.lossy_min_keep == 0.02);
  CHECK(loaded.settings.lossy_max_error == 0.3);
  CHECK(loaded.settings.lossy_warmup == 40);
  CHECK(loaded.settings.residual_bytes == size_t{1} << 30);
  CHECK(loaded.settings.residual_type == ResidualType::kBf16);
  CHECK(loaded.settings.queue_target.count() == 20);
}

}  // namespace netsense::config
