#include "tools/probe/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plugin/core/bytes.h"

namespace netsense::mesh {
namespace {

// A message: magic (4), version (2), type (2), then the fields, integers little-endian. Frames are filled up
// with zeros.
constexpr uint32_t kMagic = 0x5250534e;  // "NSPR"
constexpr uint16_t kVersion = 1;

class Writer {
 public:
  explicit Writer(uint16_t type) {
    put(kMagic);
    put(kVersion);
    put(type);
  }
  template <typename T>
  void put(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    core::store_le(bytes_.data() + at, value);
  }
  void put_text(const std::string& text) {
    const size_t length = std::min(text.size(), kLongestName);
    put(static_cast<uint16_t>(length));
    const auto raw = std::as_bytes(std::span(text.data(), length));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  [[nodiscard]] std::vector<std::byte> frame() {
    bytes_.resize(kFrameBytes);
    return std::move(bytes_);
  }
  [[nodiscard]] std::vector<std::byte> all() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads fields one after the other; after the first that is not there or not valid, ok() is false for good.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  T get() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return 0;
    }
    const T value = core::load_le<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  // Printable ASCII only: the text goes to terminals.
  std::string get_text() {
    const size_t length = get<uint16_t>();
    if (length > std::min(kLongestName, rest_.size())) ok_ = false;
    if (!ok_) return {};
    std::string text(reinterpret_cast<const char*>(rest_.data()), length);
    rest_ = rest_.subspan(length);
    require(std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; }));
    return text;
  }
  void require(bool condition) { ok_ = ok_ && condition; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool only_zeros_left() const {
    return std::all_of(rest_.begin(), rest_.end(), [](std::byte each) { return each == std::byte{0}; });
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

struct Encoder {
  uint16_t type;
  std::vector<std::byte> operator()(const Hello& hello) const {
    Writer out(type);
    out.put(hello.token);
    out.put(hello.rank);
    out.put(static_cast<uint32_t>(hello.bulk ? 1 : 0));
    return out.frame();
  }
  std::vector<std::byte> operator()(const Ping& ping) const {
    Writer out(type);
    out.put(ping.number);
    out.put(ping.sent_us);
    return out.frame();
  }
  std::vector<std::byte> operator()(const Pong& pong) const {
    Writer out(type);
    out.put(pong.number);
    out.put(pong.variation_ns);
    return out.frame();
  }
  std::vector<std::byte> operator()(const Finish& /*finish*/) const { return Writer(type).frame(); }
  std::vector<std::byte> operator()(const Result& result) const {
    Writer out(type);
    out.put(result.bytes_per_second);
    return out.frame();
  }
  std::vector<std::byte> operator()(const Announcement& announcement) const {
    Writer out(type);
    out.put(announcement.port);
    out.put_text(announcement.host.name);
    out.put_text(announcement.host.interface);
    out.put_text(announcement.host.address);
    return out.all();
  }
  std::vector<std::byte> operator()(const Cell& cell) const {
    Writer out(type);
    for (const Quantity& quantity : all_quantities()) out.put(std::bit_cast<uint64_t>(cell.*quantity.value));
    return out.all();
  }
};

Message read_fields(uint16_t type, Reader& in) {
  switch (type) {
    case 0: {
      Hello hello{.token = in.get<uint64_t>(), .rank = in.get<uint32_t>(), .bulk = false};
      const auto bulk = in.get<uint32_t>();
      in.require(bulk <= 1);
      hello.bulk = bulk == 1;
      return hello;
    }
    case 1:
      return Ping{.number = in.get<uint32_t>(), .sent_us = in.get<uint32_t>()};
    case 2:
      return Pong{.number = in.get<uint32_t>(), .variation_ns = in.get<uint64_t>()};
    case 3:
      return Finish{};
    case 4:
      return Result{.bytes_per_second = in.get<uint64_t>()};
    case 5: {
      Announcement announcement;
      announcement.port = in.get<uint16_t>();
      announcement.host.name = in.get_text();
      announcement.host.interface = in.get_text();
      announcement.host.address = in.get_text();
      in.require(announcement.port != 0 && !announcement.host.address.empty());
      return announcement;
    }
    case 6: {
      Cell cell;
      for (const Quantity& quantity : all_quantities()) {
        const double value = std::bit_cast<double>(in.get<uint64_t>());
        in.require(std::isfinite(value) && value >= 0);
        cell.*quantity.value = value;
      }
      return cell;
    }
    default:
      in.require(false);
      return Finish{};
  }
}

}  // namespace

std::vector<std::byte> encode(const Message& message) {
  return std::visit(Encoder{static_cast<uint16_t>(message.index())}, message);
}

std::optional<Message> parse_message(std::span<const std::byte> bytes) {
  Reader in(bytes);
  in.require(in.get<uint32_t>() == kMagic);
  in.require(in.get<uint16_t>() == kVersion);
  const auto type = in.get<uint16_t>();
  if (!in.ok()) return std::nullopt;
  const Message message = read_fields(type, in);
  const bool on_socket =
      !std::holds_alternative<Announcement>(message) && !std::holds_alternative<Cell>(message);
  in.require(on_socket ? bytes.size() == kFrameBytes && in.only_zeros_left() : in.at_end());
  if (!in.ok()) return std::nullopt;
  return message;
}

}  // namespace netsense::mesh
