#include "tools/engine/comm/comm.h"

#include <algorithm>

#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/trace/traced_plugins.h"

namespace netsense::engine {
namespace {

int next_comm_number() {
  static std::atomic<int> next{0};
  return next++;
}

std::string thread_name(const char* role, int comm_number) {
  return comm_number == 0 ? role : fmt::format("{}-{}", role, comm_number);
}

}  // namespace

Comm::Comm(const UniqueId& id, int ranks, int rank) : number_(next_comm_number()) {
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    fail(ns_invalid_argument, "rank {} is not one of a communicator of {} ranks", rank, ranks);
  }
  settings_ = read_settings();
  trace_ = Trace::for_rank(rank);
  if (trace_) {
    trace_->mark("ncclCommInitRank.begin",
                 fmt::format(R"("comm":{},"nranks":{},"rank":{})", number_, ranks, rank));
  }
  bootstrap_ = std::make_unique<Bootstrap>(id, rank, ranks, abort_);
  init_shape(ranks, rank);
  try {
    init_plugins(id.secret);
  } catch (...) {
    if (plugins_.net) finalize_plugins(plugins_);
    throw;
  }
  if (trace_) trace_->mark("ncclCommInitRank.end");
}

void Comm::init_shape(int ranks, int rank) {
  shape_ = make_shape(ranks, rank, settings_.channels);
}

void Comm::init_plugins(uint64_t comm_id) {
  const auto wrapper = make_trace_wrapper(trace_, shape_.rank);
  plugins_ = acquire_plugins(comm_id, *wrapper);
  net_name_ = fmt::format("{} v{}", plugins_.net->name(), plugins_.net->version());
  DeviceProperties collnet_device;
  for (int device = 0; device < plugins_.collnet_devices; ++device) {
    check(plugins_.collnet->properties(device, &collnet_device), "the CollNet plugin's getProperties");
  }
  std::vector<DeviceProperties> devices(static_cast<size_t>(plugins_.devices));
  for (int device = 0; device < plugins_.devices; ++device) {
    check(plugins_.net->properties(device, &devices[static_cast<size_t>(device)]),
          "the net plugin's getProperties");
  }
  log_info(kLogInit, "Using network {}", plugins_.net->name());

  profiler_ = {plugins_.profiler.get(), nullptr, plugins_.profiler_mask, shape_.rank};
  if (plugins_.profiler) {
    const ProfilerInit init{comm_id, nullptr, shape_.ranks, shape_.ranks, shape_.rank};
    const ns_result result = plugins_.profiler->init(init, &profiler_.context, plugins_.profiler_mask);
    if (result != ns_success) {
      log_info(kLogInit, "Profiler init failed: {}. Continue without profiler.", result_name(result));
      profiler_.profiler = nullptr;
    }
  }
  if (profiler_.profiler != nullptr) callback_profiler_.emplace(profiler_.profiler);

  make_transport(devices.front());
  make_collnet(devices.front());

  CostInputs inputs;
  inputs.ranks = shape_.ranks;
  inputs.channels = static_cast<int>(shape_.channels.size());
  inputs.net_latency = devices.front().latency;
  inputs.choices = settings_.choices;
  inputs.collnet = collnet_connected_;
  for (int type = 0; collnet_connected_ && type < ns_num_types; ++type) {
    for (int op = 0; op < ns_num_ops; ++op) {
      inputs.collnet_reduces[static_cast<size_t>(type)][static_cast<size_t>(op)] =
          collnet_->supports(static_cast<ns_type>(type), static_cast<ns_op>(op));
    }
  }
  costs_ = std::make_unique<CostModel>(inputs);

  if (plugins_.tuner) {
    const auto nodes = static_cast<size_t>(shape_.ranks);
    check(plugins_.tuner->init({comm_id, nodes, nodes}, &tuner_context_), "the tuner plugin's init");
  }
}

bool Comm::uses_gpu_direct(const DeviceProperties& device) const {
  constexpr int kCuda = static_cast<int>(MemoryKind::kCuda);
  return settings_.gpu_direct_allowed && (device.pointer_support & kCuda) != 0;
}

void Comm::make_transport(const DeviceProperties& device) {
  const bool gpu_direct = uses_gpu_direct(device);
  const int channels = std::max(static_cast<int>(shape_.channels.size()), shape_.p2p_channels);
  table_ = std::make_unique<ConnectionTable>(channels, shape_.ranks);
  attributes_ = std::make_unique<AttributeTeller>(*plugins_.net, plugins_.net_context);
  setup_ = std::make_unique<NetSetup>(*plugins_.net, plugins_.net_context, *attributes_, settings_.plan,
                                      shape_.ranks, shape_.p2p_channels);
  proxy_profile_ = std::make_unique<ProxyProfile>(profiler_);
  api_profile_ = std::make_unique<ApiProfile>(profiler_);
  service_ = std::make_unique<ProxyService>(thread_name("proxy-service", number_), abort_);
  connector_ = std::make_unique<Connector>(
      Connector::Parts{*plugins_.net, *bootstrap_, *service_, *setup_, *table_}, shape_,
      Connector::Options{gpu_direct, std::min(settings_.usable_devices, plugins_.devices)});
  device_ =
      std::make_unique<Device>(shape_, settings_.plan, [this](const ConnectionId& id) -> ConnectionFifo* {
        Connection* connection = table_->find(id);
        return connection == nullptr || !connection->connected ? nullptr : &connection->fifo;
      });
}

void Comm::make_collnet(const DeviceProperties& device) {
  if (!settings_.collnet || !plugins_.collnet) return;
  collnet_ = std::make_unique<CollNetSetup>(
      CollNetSetup::Parts{*plugins_.net, *plugins_.collnet, plugins_.collnet_context, *bootstrap_, *service_,
                          *table_},
      shape_, settings_.plan, uses_gpu_direct(device));
  collnet_connected_ = collnet_->connect();
}

ProxyProgress& Comm::progress() {
  if (!progress_) {
    const TransferContext context{*plugins_.net,
                                  *attributes_,
                                  *proxy_profile_,
                                  shape_.rank,
                                  settings_.plan.p2p_chunk_bytes,
                                  settings_.completion_optional,
                                  collnet_ ? &collnet_->transfer() : nullptr};
    progress_ = std::make_unique<ProxyProgress>(context, thread_name("proxy-progress", number_), abort_,
                                                [this](ns_result result) { fail_with(result); });
  }
  return *progress_;
}

void Comm::fail_with(ns_result result) {
  int none = ns_success;
  async_error_.compare_exchange_strong(none, result);
  device_->abort();
}

void Comm::synchronize() {
  if (last_ticket_ != 0) device_->wait(last_ticket_);
  if (async_error() != ns_success) {
    fail(async_error(), "{}: {}", net_name_, result_name(async_error()));
  }
  if (broken_)
    fail(ns_invalid_usage, "an earlier operation of this communicator failed: it can only be aborted");
}

void Comm::abort() {
  abort_.store(true, std::memory_order_release);
  device_->abort();
}

Comm::~Comm() {
  const std::string call = abort_.load(std::memory_order_acquire) ? "ncclCommAbort" : "ncclCommDestroy";
  if (trace_) trace_->mark(call + ".begin", fmt::format(R"("comm":{})", number_));
  if (broken_ || async_error() != ns_success) abort();
  if (!abort_.load(std::memory_order_acquire) && last_ticket_ != 0) device_->wait(last_ticket_);
  close();
  if (trace_) trace_->mark(call + ".end");
}

void Comm::close() {
  if (plugins_.tuner) plugins_.tuner->finalize(tuner_context_);
  progress_.reset();
  service_->at_end([this] {
    if (collnet_) collnet_->close();
    for (Connection* connection : connector_->in_order()) setup_->close(*connection);
  });
  service_.reset();
  device_.reset();
  callback_profiler_.reset();
  if (profiler_.profiler != nullptr) profiler_.profiler->finalize(profiler_.context);
  finalize_plugins(plugins_);
}

}  // namespace netsense::engine
