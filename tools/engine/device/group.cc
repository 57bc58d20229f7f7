#include "tools/engine/device/group.h"

#include <algorithm>

#include "tools/engine/device/combine.h"
#include "tools/engine/device/line.h"
#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {

Group::Group(GroupSetup setup)
    : setup_(std::move(setup)), arrived_(setup_.recv.size()), received_(setup_.recv.size()) {
  if (setup_.protocol == Protocol::kSimple) align_steps();
}

// The proxy begins an operation at a whole chunk, wherever the one before it ended.
void Group::align_steps() {
  const auto chunk_steps =
      static_cast<uint64_t>(setup_.slice_steps) * static_cast<uint64_t>(setup_.slices_per_chunk);
  for (ConnectionFifo* fifo : setup_.send) fifo->step = align_up(fifo->step, chunk_steps);
  for (ConnectionFifo* fifo : setup_.recv) {
    fifo->step = align_up(fifo->step, chunk_steps);
    fifo->head.store(fifo->step, std::memory_order_release);
  }
}

Group::Progress Group::poll() {
  if (!in_call_ && !next_call()) return Progress::kFinished;
  const bool moved = setup_.protocol == Protocol::kLL ? poll_low_latency() : poll_simple();
  if (moved) return Progress::kMoved;
  return aborted() ? Progress::kAborted : Progress::kBlocked;
}

bool Group::next_call() {
  if (!setup_.program->next(call_)) return false;
  in_call_ = true;
  slice_ = 0;
  offset_ = 0;
  // Slices are of equal size, but not absurdly small.
  const size_t step = setup_.step_bytes / setup_.arithmetic.element;
  const auto slices = static_cast<size_t>(setup_.slices_per_chunk);
  slice_count_ =
      std::max(div_up(call_.count, 16 * slices) * 16, step * static_cast<size_t>(setup_.slice_steps) / 32);
  std::ranges::fill(arrived_, 0);
  return true;
}

bool Group::aborted() const {
  const auto gives_up = [](const ConnectionFifo* fifo) {
    return fifo->abort.load(std::memory_order_relaxed) != 0;
  };
  return std::ranges::any_of(setup_.recv, gives_up) || std::ranges::any_of(setup_.send, gives_up);
}

bool Group::may_send(uint64_t steps) const {
  return std::ranges::all_of(setup_.send, [steps](const ConnectionFifo* fifo) {
    // The head may stand at -kSteps, so that adding comes first.
    return fifo->head.load(std::memory_order_acquire) + kSteps >= fifo->step + steps;
  });
}

std::byte* Group::slot_data(const ConnectionFifo& fifo, Protocol protocol) {
  const auto kind = static_cast<size_t>(protocol);
  const size_t slot = fifo.step % kSteps;
  if (fifo.shared_pool && protocol == Protocol::kSimple) {
    return fifo.buffers[kind] + fifo.slots[slot].offset.load(std::memory_order_acquire);
  }
  return fifo.buffers[kind] + slot * (fifo.buffer_bytes[kind] / kSteps);
}

void Group::add_user_buffers(size_t offset) {
  sources_.clear();
  destinations_.clear();
  const size_t element = setup_.arithmetic.element;
  if (call_.source == Source::kInput)
    sources_.push_back(setup_.input + (call_.source_offset + offset) * element);
  if (call_.store) destinations_.push_back(setup_.output + (call_.store_offset + offset) * element);
}

void Group::combine_slice(size_t count, size_t offset) {
  if (count == 0) return;
  add_user_buffers(offset);
  if (call_.recv) {
    for (const ConnectionFifo* fifo : setup_.recv) sources_.push_back(slot_data(*fifo, Protocol::kSimple));
  }
  if (call_.send) {
    for (const ConnectionFifo* fifo : setup_.send)
      destinations_.push_back(slot_data(*fifo, Protocol::kSimple));
  }
  combine(setup_.arithmetic, sources_, destinations_, count, call_.source == Source::kInput, call_.final);
}

bool Group::poll_simple() {
  const auto steps = static_cast<uint64_t>(setup_.slice_steps);
  if (call_.recv && !std::ranges::all_of(setup_.recv, [steps](const ConnectionFifo* fifo) {
        return fifo->tail.load(std::memory_order_acquire) >= fifo->step + steps;
      })) {
    return false;
  }
  if (call_.send && !may_send(steps)) return false;

  const size_t count = std::min(slice_count_, call_.count - offset_);
  combine_slice(count, offset_);
  if (call_.recv) {
    for (ConnectionFifo* fifo : setup_.recv) {
      fifo->step += steps;
      fifo->head.store(fifo->step, std::memory_order_release);
    }
  }
  if (call_.send) {
    for (ConnectionFifo* fifo : setup_.send) {
      const auto bytes = static_cast<int64_t>(count * setup_.arithmetic.element);
      fifo->slots[fifo->step % kSteps].bytes.store(bytes, std::memory_order_release);
      fifo->step += steps;
      fifo->tail.store(fifo->step, std::memory_order_release);
    }
  }
  offset_ += count;
  in_call_ = ++slice_ < setup_.slices_per_chunk;
  return true;
}

bool Group::poll_low_latency() {
  const size_t bytes = call_.count * setup_.arithmetic.element;
  const size_t lines = div_up(bytes, kLineData);
  if (call_.send && !may_send(1)) return false;
  if (call_.recv) {
    for (size_t i = 0; i < setup_.recv.size(); ++i) {
      const ConnectionFifo& fifo = *setup_.recv[i];
      const std::byte* data = slot_data(fifo, Protocol::kLL);
      arrived_[i] += lines_arrived(data, arrived_[i], lines, line_flag(fifo.step));
      if (arrived_[i] < lines) return false;
    }
  }

  add_user_buffers(0);
  for (size_t i = 0; call_.recv && i < setup_.recv.size(); ++i) {
    ConnectionFifo& fifo = *setup_.recv[i];
    received_[i].resize(bytes);
    read_lines(slot_data(fifo, Protocol::kLL), received_[i].data(), bytes);
    sources_.push_back(received_[i].data());
    ++fifo.step;
    fifo.head.store(fifo.step, std::memory_order_release);
  }
  if (call_.send) {
    to_send_.resize(bytes);
    destinations_.push_back(to_send_.data());
  }
  if (bytes > 0) {
    combine(setup_.arithmetic, sources_, destinations_, call_.count, call_.source == Source::kInput,
            call_.final);
  }
  for (size_t i = 0; call_.send && i < setup_.send.size(); ++i) {
    ConnectionFifo& fifo = *setup_.send[i];
    const auto size = static_cast<int64_t>(lines * kLineBytes);
    fifo.slots[fifo.step % kSteps].bytes.store(size, std::memory_order_release);
    write_lines(slot_data(fifo, Protocol::kLL), to_send_.data(), bytes, line_flag(fifo.step));
    ++fifo.step;
  }
  in_call_ = false;
  return true;
}

}  // namespace netsense::engine
