#include <fmt/format.h>

#include "plugin/config/settings_table.h"
#include "tools/info/print.h"

namespace netsense::info {
namespace {

constexpr const char* kIntroduction = R"(# Settings

<!-- Made by `netsense-info --settings-markdown` from plugin/config/settings_table.cc; change it there. -->

Settings are environment variables, read once when NCCL first initialises the plugin. They may also stand in NCCL's
configuration files (`~/.nccl.conf` or the file that `NCCL_CONF_FILE` names, and `/etc/nccl.conf`), which NCCL puts into
the environment before it loads a plugin. netsense itself never sets a variable of NCCL's.

An unknown `NETSENSE_` name and a bad value are reported as a warning, with the nearest valid one, and are ignored;
NCCL prints warnings with `NCCL_DEBUG=WARN`.
`netsense-info` shows each setting with its value and where that comes from.

Sizes take `K`, `M` or `G` (powers of 1024). Times are in seconds with decimals (`0.5`), or in milliseconds with `ms`
(`500ms`). Switches also take `1` and `0`, `true` and `false`, `yes` and `no`. Blanks around a value do not count, and
an empty value is as good as none.

Streams, block size and checksum of a connection are those of its sending side; a receiver follows what it is sent.

| Name | Default | Allowed |
|---|---|---|
)";

std::string default_text(const config::Setting& setting) {
  const std::string value = config::print_value(setting, config::Settings{});
  return value.empty() ? std::string(setting.empty_means) : fmt::format("`{}`", value);
}

std::string table_row(const config::Setting& setting) {
  return fmt::format("| [`{0}`](#{1}) | {2} | {3} |\n", setting.name, setting.name, default_text(setting),
                     config::allowed_values(setting, false));
}

std::string section(const config::Setting& setting) {
  std::string text = fmt::format("\n## {}\n\n{}\n\n", setting.name, setting.help);
  if (!setting.unit.empty()) text += fmt::format("- Unit: {}\n", setting.unit);
  text += fmt::format("- Allowed: {}\n- Default: {}\n", config::allowed_values(setting, false),
                      default_text(setting));
  if (!setting.nccl_variable.empty()) {
    text += fmt::format("- When it is not set: `{}` ({})\n", setting.nccl_variable,
                        config::allowed_values(setting, true));
  }
  return text;
}

}  // namespace

std::string settings_markdown() {
  std::string text = kIntroduction;
  for (const config::Setting& setting : config::settings_table()) text += table_row(setting);
  for (const config::Setting& setting : config::settings_table()) text += section(setting);
  return text;
}

}  // namespace netsense::info
