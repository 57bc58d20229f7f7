#include <fmt/format.h>

#include "tools/markup/escape.h"
#include "tools/report/names.h"
#include "tools/report/panels.h"
#include "tools/report/picture.h"
#include "tools/report/report.h"
#include "tools/report/units.h"

namespace netsense::report {
namespace {

using markup::escape;
using telemetry::Direction;
using telemetry::TraceError;

constexpr const char* kStyle =
    R"(:root{color-scheme:light dark}body{font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;
max-width:1000px;margin:2em auto;padding:0 1em;background:#fff;color:#1f2328}
h1{font-size:22px;margin:0}h2{font-size:17px;margin:2.2em 0 .4em}.soft{color:#59636e}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;margin:.6em 0}
th,td{padding:4px 14px 4px 0;text-align:right;white-space:nowrap;vertical-align:top}
th{font-weight:600;border-bottom:1px solid #8c959f}td{border-bottom:1px solid #e4e8ec}
th:first-child,td:first-child,.text{text-align:left}td.why{white-space:normal;text-align:left;min-width:16em}
svg{display:block;width:100%;height:auto;margin:.6em 0}details{margin:.4em 0}summary{cursor:pointer}
.tiles{display:flex;flex-wrap:wrap;gap:.4em 2.6em;margin:1.2em 0}.tiles div{min-width:7em}
.tiles b{display:block;font-size:20px;font-weight:600}nav a{margin-right:1.2em}a{color:#0969da}
.remark{border-left:3px solid #d55e00;padding:.2em .8em;margin:.6em 0}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.soft{color:#9198a1}
th{border-color:#656c76}td{border-color:#262c34}a{color:#6cb6f0}}
)";

// Room for the end of the page, and for a remark about what there is no room for.
constexpr size_t kReserve = size_t{16} << 10;

std::string tile(std::string_view value, std::string_view what) {
  return fmt::format("<div><b>{}</b><span class=\"soft\">{}</span></div>\n", value, what);
}

Totals sum_of(const std::vector<Path>& paths, Direction direction) {
  Totals sum;
  for (const Path& path : paths) {
    if (path.direction == direction) sum.add(path.totals);
  }
  return sum;
}

std::string tiles(const TraceSet& set, const std::vector<Path>& paths) {
  const Totals sent = sum_of(paths, Direction::kSend);
  const Totals received = sum_of(paths, Direction::kReceive);
  const auto coded = static_cast<double>(sent.raw_bytes - sent.bytes_as[0]);
  std::string out = "<div class=\"tiles\">\n";
  out += tile(format_time(set.seconds), "of traffic");
  out += tile(format_bytes(sent.raw_bytes), "sent by NCCL");
  out += tile(format_bytes(sent.wire_bytes), "of it on the wire");
  out += tile(fmt::format("{:.3f}", sent.ratio()), "raw : wire");
  if (sent.raw_bytes > 0) {
    out +=
        tile(fmt::format("{:.0f} %", 100 * coded / static_cast<double>(sent.raw_bytes)), "sent compressed");
  }
  if (sent.saved_seconds != 0) out += tile(format_time(sent.saved_seconds), "saved, by the model");
  out += tile(format_time(sent.encode_seconds[1] + sent.encode_seconds[2]), "of encoding");
  out += tile(format_time(received.decode_seconds), "of decoding");
  return out + "</div>\n";
}

std::string traces_table(const TraceSet& set) {
  std::string out =
      "<h2 id=\"traces\">Traces</h2><div class=\"scroll\"><table><tr><th>trace</th><th "
      "class=\"text\">host</th>"
      "<th>process</th><th class=\"text\">mode</th><th class=\"text\">codec</th><th>records</th>"
      "<th class=\"text\">file</th></tr>\n";
  for (const Trace& trace : set.traces) {
    const bool read =
        trace.outcome.error != TraceError::kForeign && trace.outcome.error != TraceError::kVersion;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td>{}</td><td class=\"text\">{}</td>"
        "<td class=\"text\">{}</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
        read ? escape(trace.name) : "", escape(telemetry::trace_text(trace.header.host_name)),
        read ? fmt::format("{}", trace.header.pid) : "", read ? mode_name(trace.header.mode) : "",
        read ? codec_setting_name(trace.header.codec) : "", trace.outcome.records, escape(trace.file));
  }
  return out + "</table></div>\n";
}

std::string sent_row(std::string_view name, const Totals& totals) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.3f}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td class=\"why\">{}</td></tr>\n",
      name, format_bytes(totals.raw_bytes), format_bytes(totals.wire_bytes), totals.ratio(),
      format_bytes(totals.bytes_as[0]), format_bytes(totals.bytes_as[1]), format_bytes(totals.bytes_as[2]),
      format_time(totals.encode_seconds[1]), format_time(totals.encode_seconds[2]),
      totals.saved_seconds == 0 ? "" : format_time(totals.saved_seconds), why_raw(totals));
}

std::string received_row(std::string_view name, const Totals& totals) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.3f}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", name,
      format_bytes(totals.raw_bytes), format_bytes(totals.wire_bytes), totals.ratio(), totals.blocks,
      totals.decoded_blocks, format_time(totals.decode_seconds));
}

constexpr const char* kSentHead =
    "<div class=\"scroll\"><table><tr><th>sent</th><th>raw</th><th>wire</th><th>ratio</th><th>as raw</th>"
    "<th>as fast</th><th>as tight</th><th>encoding fast</th><th>encoding tight</th><th>saved</th>"
    "<th class=\"text\">why raw</th></tr>\n";
constexpr const char* kReceivedHead =
    "<div class=\"scroll\"><table><tr><th>received</th><th>raw</th><th>wire</th><th>ratio</th><th>blocks</th>"
    "<th>decoded</th><th>decoding</th></tr>\n";

std::string summary(const std::vector<Path>& paths) {
  std::string sent;
  std::string received;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string name = fmt::format("<a href=\"#path{}\">{}</a>", i, escape(paths[i].title));
    if (paths[i].direction == Direction::kSend) {
      sent += sent_row(name, paths[i].totals);
    } else {
      received += received_row(name, paths[i].totals);
    }
  }
  std::string out = "<h2 id=\"summary\">Summary</h2>\n";
  if (!sent.empty())
    out += kSentHead + sent + sent_row("<b>all</b>", sum_of(paths, Direction::kSend)) + "</table></div>\n";
  if (!received.empty()) {
    out += kReceivedHead + received + received_row("<b>all</b>", sum_of(paths, Direction::kReceive)) +
           "</table></div>\n";
  }
  return out +
         "<p class=\"soft\">Wire bytes are without frame headers. Saved: by how much the model expected the "
         "codecs "
         "that it chose to be faster than raw, added up over blocks; connections send at the same time. "
         "Encoding of blocks that did not shrink is included.</p>\n";
}

PictureKind kind_of(Direction direction) {
  return direction == Direction::kSend ? PictureKind::kSending : PictureKind::kReceiving;
}

std::string path_section(const TraceSet& set, const Path& path, size_t number) {
  const std::vector<Moment> course = course_of(set, path.connections);
  return fmt::format(
      "<section id=\"path{}\"><h2>{} <span class=\"soft\">{} connection{}</span></h2>\n{}</section>\n",
      number, escape(path.title), path.connections.size(), path.connections.size() == 1 ? "" : "s",
      course.empty() ? "" : picture(set, course, kind_of(path.direction), {}, false));
}

std::string connection_section(const TraceSet& set, size_t index) {
  const Connection& connection = set.connections[index];
  const size_t alone[] = {index};
  const std::vector<Moment> course = course_of(set, alone);
  std::string out = fmt::format(
      "<details><summary>{} {} {} <span class=\"soft\">connection {}, {}, {} stream{}, {}</span></summary>\n",
      escape(set.traces[connection.trace].name), connection.direction == Direction::kSend ? "to" : "from",
      escape(connection.peer), connection.number, escape(connection.device), connection.streams,
      connection.streams == 1 ? "" : "s", format_bytes(connection.totals.raw_bytes));
  const bool sends = connection.direction == Direction::kSend;
  out += sends ? kSentHead + sent_row("", connection.totals)
               : kReceivedHead + received_row("", connection.totals);
  out += "</table></div>\n";
  if (!course.empty()) out += picture(set, course, kind_of(connection.direction), {}, false);
  return out + "</details>\n";
}

// Collects parts as long as there is room.
class Page {
 public:
  explicit Page(std::string begin) : text_(std::move(begin)) {}
  bool add(const std::string& part) {
    if (text_.size() + part.size() + kReserve > kMostHtmlBytes) {
      ++left_out_;
      return false;
    }
    text_ += part;
    return true;
  }
  std::string end() {
    if (left_out_ > 0) {
      text_ += fmt::format(
          "<p class=\"remark\">There was no room for {} more parts. Give fewer traces, or choose with "
          "--peer.</p>\n",
          left_out_);
    }
    return text_ + "</body></html>\n";
  }

 private:
  std::string text_;
  size_t left_out_ = 0;
};

}  // namespace

std::string html_report(const TraceSet& set, const std::vector<Path>& paths) {
  Page page(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                  "<meta name=\"viewport\" content=\"width=device-width\"/><title>netsense-report</title>\n"
                  "<style>{}{}</style></head><body>\n<h1>netsense-report</h1>\n"
                  "<div class=\"soft\">{} trace{}, from {}</div>\n",
                  kStyle, panel_style(), set.traces.size(), set.traces.size() == 1 ? "" : "s",
                  format_date(set.begin_unix_ns)));
  for (const Trace& trace : set.traces) {
    for (const std::string& remark : remarks(trace)) {
      page.add(fmt::format("<p class=\"remark\">{}: {}</p>\n", escape(trace.file), escape(remark)));
    }
  }
  page.add(tiles(set, paths));
  page.add(summary(paths));
  page.add(traces_table(set));
  for (size_t i = 0; i < paths.size(); ++i) page.add(path_section(set, paths[i], i));
  page.add("<h2 id=\"connections\">Connections</h2>\n");
  for (const Path& path : paths) {
    for (const size_t connection : path.connections) page.add(connection_section(set, connection));
  }
  return page.end();
}

}  // namespace netsense::report
