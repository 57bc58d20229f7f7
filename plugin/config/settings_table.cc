#include "plugin/config/settings_table.h"

#include <algorithm>
#include <array>

#include "plugin/config/text.h"

namespace netsense::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

template <typename Enum>
constexpr Choice choice(std::string_view name, Enum value, std::string_view nccl_name = "") {
  return {name, nccl_name, static_cast<int>(value)};
}

constexpr std::array kFamilies{choice("auto", AddressFamily::kAny),
                               choice("ipv4", AddressFamily::kIpv4, "AF_INET"),
                               choice("ipv6", AddressFamily::kIpv6, "AF_INET6")};
constexpr std::array kModes{choice("off", Mode::kOff), choice("lossless", Mode::kLossless),
                            choice("adaptive", Mode::kAdaptive)};
constexpr std::array kCodecs{choice("auto", CodecChoice::kAuto), choice("fast", CodecChoice::kFast),
                             choice("tight", CodecChoice::kTight)};
constexpr std::array kLossyOps{choice("all_reduce", LossyOp::kAllReduce),
                               choice("reduce_scatter", LossyOp::kReduceScatter)};
constexpr std::array kResidualTypes{choice("f32", ResidualType::kF32), choice("bf16", ResidualType::kBf16)};

constexpr milliseconds kShortestTimeout{100};
constexpr milliseconds kLongestTimeout = hours(24);

// NCCL ignores a list of one character, so "^" alone is a mistake and not a choice, and so is "e".
bool is_interface_list(std::string_view text) {
  if (text.size() < 2 || std::any_of(text.begin(), text.end(), is_control)) return false;
  if (text.starts_with('^')) text.remove_prefix(1);
  if (text.starts_with('=')) text.remove_prefix(1);
  return std::any_of(text.begin(), text.end(), [](char c) { return c != ',' && !is_blank(c); });
}

// The kernel's names of congestion controls have at most 15 characters (TCP_CA_NAME_MAX).
bool is_congestion_name(std::string_view text) {
  return text.size() <= 15 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

bool is_absolute_path(std::string_view text) {
  return text.starts_with('/') && std::none_of(text.begin(), text.end(), is_control);
}

// Who takes it for a switch means no file of that name.
bool is_trace_path(std::string_view text) {
  return text.find_first_of("/.") != std::string_view::npos &&
         std::none_of(text.begin(), text.end(), is_control);
}

constexpr std::array kTable{
    Setting{"NETSENSE_IFNAME", "NCCL_SOCKET_IFNAME", "", "chosen as NCCL does",
            "Network interfaces to use, in NCCL's grammar: a list of name prefixes (`eth,en`), `=` for whole "
            "names "
            "(`=eth0`), `^` for all but these (`^docker,lo`, `^=eth1`). Every interface that matches becomes "
            "a device.",
            TextType{&Settings::interfaces, "a list of interface names such as eth,en or =eth0 or ^docker,lo",
                     &is_interface_list}},
    Setting{
        "NETSENSE_FAMILY", "NCCL_SOCKET_FAMILY", "", "",
        "IP version to use. `auto` takes an interface's IPv4 address if it has one, else its IPv6 address.",
        choice_of<&Settings::family>(kFamilies)},
    Setting{"NETSENSE_TCP_STREAMS", "", "", "",
            "TCP connections per connection of NCCL. The data of a message is spread over them as fast as "
            "each takes "
            "it. `auto` takes as many as there are threads, at least two to another host.",
            CountType{&Settings::tcp_streams, 1, 16}},
    Setting{"NETSENSE_TCP_THREADS", "", "", "",
            "Threads of the plugin that move large messages. With 0 NCCL's own proxy thread does, as in "
            "NCCL's socket "
            "transport. `auto` is 0 with fewer than 4 usable cores, 1 with fewer than 8, 2 with fewer than "
            "16, else 4.",
            CountType{&Settings::tcp_threads, 0, 16}},
    Setting{"NETSENSE_TCP_CONGESTION", "", "", "the system's",
            "Congestion control of the data connections, for example `bbr`; one of those that "
            "`sysctl net.ipv4.tcp_available_congestion_control` lists.",
            TextType{&Settings::tcp_congestion, "the name of a congestion control such as cubic or bbr",
                     &is_congestion_name}},
    Setting{"NETSENSE_BLOCK_SIZE", "", "bytes", "",
            "Size of the pieces a message is sent in. Smaller pieces spread better over several connections, "
            "larger "
            "ones cost less. Pieces end at multiples of 128 bytes.",
            SizeType{&Settings::block_bytes, size_t{4} << 10, size_t{4} << 20}},
    Setting{"NETSENSE_CHECKSUM", "", "", "",
            "Whether every piece carries a checksum that the receiver verifies. TCP's own is weak and is "
            "often left "
            "to the network card.",
            SwitchType{&Settings::checksum}},
    Setting{
        "NETSENSE_MODE", "", "", "",
        "What may happen to the bytes of a message. `lossless`: they are compressed, and come out bit by bit "
        "as they went in, while the network is the bottleneck and that is faster. `adaptive`: as `lossless`, "
        "and gradient sums may be rounded where the network asks for it; needs `NCCL_COLLNET_ENABLE=1`. "
        "`off`: they are sent as they are.",
        choice_of<&Settings::mode>(kModes)},
    Setting{"NETSENSE_CODEC", "", "", "",
            "Which lossless codec. `auto`: measured and chosen while the job runs. `fast` and `tight`: "
            "always that "
            "one, also where it does not pay, for tests and comparisons; a block that does not shrink goes "
            "as it is.",
            choice_of<&Settings::codec>(kCodecs)},
    Setting{"NETSENSE_MIN_SIZE", "", "bytes", "", "Messages smaller than this are never compressed.",
            SizeType{&Settings::min_coded_bytes, 1, size_t{1} << 30}},
    Setting{"NETSENSE_LOSSY_CONTROLLER", "", "", "",
            "What decides how finely the data of a lossy collective are coded (`NETSENSE_MODE=adaptive`). "
            "`model`: as "
            "finely as the link can carry while the job computes, exactly where it can. `netsenseml`: the "
            "rule of the "
            "NetSenseML prototype, for comparison. `fixed:`: always the same codec, whatever the network "
            "does: "
            "`fixed:q4` sends 4 bits a value, `fixed:top0.01q4` that of the largest 1 % of the values, "
            "`fixed:lossless` all as they are.",
            ControllerType{&Settings::lossy_controller}},
    Setting{"NETSENSE_LOSSY_OPS", "", "", "",
            "Collectives that may be rounded, with commas between them. Only sums and averages of f32, f16 and bf16 "
            "are; an all-gather never is, since NCCL does not say what it carries.",
            ListType{&Settings::lossy_ops, kLossyOps}},
    Setting{"NETSENSE_LOSSY_MIN_SIZE", "", "bytes", "",
            "Collectives smaller than this, as a whole, are always exact.",
            SizeType{&Settings::lossy_min_bytes, 1, size_t{1} << 40}},
    Setting{"NETSENSE_LOSSY_MIN_KEEP", "", "", "",
            "Least number of bytes that are sent per byte of data, however slow the network. A fixed codec "
            "is not held to it.",
            FractionType{&Settings::lossy_min_keep, 0.001, 1}},
    Setting{"NETSENSE_LOSSY_MAX_ERROR", "", "", "",
            "Largest relative error of a block: the root of the sum of squared errors over the sum of "
            "squared values. What would exceed it is coded more finely. With 1 there is no limit.",
            FractionType{&Settings::lossy_max_error, 0, 1}},
    Setting{"NETSENSE_LOSSY_WARMUP", "", "", "",
            "So many collectives of a communicator stay exact at first, while training is the most "
            "sensitive to errors.",
            NumberType{&Settings::lossy_warmup, 0, 1000000000}},
    Setting{
        "NETSENSE_LOSSY_RESIDUALS", "", "bytes", "",
        "Memory, per process, in which to remember what rounding left out, so that it is sent with the next "
        "collective of the same tensor (error feedback). What finds no room there is rounded without "
        "bias and sent whole. With 0 that is all.",
        SizeType{&Settings::residual_bytes, 0, size_t{1} << 44}},
    Setting{"NETSENSE_LOSSY_RESIDUAL_TYPE", "", "", "",
            "How it is remembered. `bf16` needs half the memory and forgets a little of it.",
            choice_of<&Settings::residual_type>(kResidualTypes)},
    Setting{
        "NETSENSE_QUEUE_TARGET", "", "seconds", "",
        "Queue that lossy collectives may always make: data that the link carries within this time, or two "
        "round trips where those are longer, need not be coded more coarsely.",
        SecondsType{&Settings::queue_target, milliseconds(1), milliseconds(10000)}},
    Setting{"NETSENSE_CONNECT_TIMEOUT", "", "seconds", "",
            "How long a peer may take to answer before that is an error. It is also the time after which a "
            "peer that "
            "does not run netsense is named. A rank that waits for one that has not come yet only warns.",
            SecondsType{&Settings::connect_timeout, kShortestTimeout, kLongestTimeout}},
    Setting{"NETSENSE_PEER_TIMEOUT", "", "seconds", "",
            "How long retransmissions or probes of a peer's closed window may stay unanswered before that is "
            "an error. "
            "A peer that is alive and does not read is waited for.",
            SecondsType{&Settings::peer_timeout, kShortestTimeout, kLongestTimeout}},
    Setting{"NETSENSE_ABORT_ON_ERROR", "", "", "",
            "Whether a fatal transport error ends the process. For NCCL before 2.28, which may ignore such "
            "an error "
            "and wait for ever.",
            SwitchType{&Settings::abort_on_error}},
    Setting{"NETSENSE_STATS", "", "", "",
            "Whether each connection is counted where `netsense-top` and `netsense-exporter` can see it: in "
            "a file "
            "of about 0.7 MiB per process.",
            SwitchType{&Settings::statistics}},
    Setting{
        "NETSENSE_STATS_DIR", "", "", "",
        "Directory for that file; one in memory (tmpfs), since it is written to all the time.",
        TextType{&Settings::statistics_directory, "an absolute path such as /dev/shm", &is_absolute_path}},
    Setting{"NETSENSE_TRACE", "", "", "no trace",
            "File that the process writes what it senses and decides to, for `netsense-report`. `%h` becomes "
            "the host's "
            "name, `%p` the process's number; in a directory each process makes a file of its own. It has a "
            "`/` or a `.` in it.",
            TextType{&Settings::trace, "a path such as ./%h.%p.trace or ./traces/", &is_trace_path}},
    Setting{"NETSENSE_TRACE_LIMIT", "", "bytes", "",
            "Size at which that file ends. A block that is sent takes 56 bytes, one that is received 40.",
            SizeType{&Settings::trace_limit, size_t{64} << 10, size_t{1} << 40}},
};

}  // namespace

std::span<const Setting> settings_table() {
  return kTable;
}

}  // namespace netsense::config
