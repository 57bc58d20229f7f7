#include "tools/info/settings_markdown.h"

#include <fmt/format.h>

#include "plugin/config/settings_table.h"

namespace netsense::info {
namespace {

constexpr const char* kIntroduction = R"(# Settings

<!-- Made by `netsense-info --settings-markdown` from plugin/config/settings_table.cc: change it there. -->

netsense reads these variables once, when NCCL first loads it, from the environment or from
[NCCL's configuration files](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html) (`~/.nccl.conf`,
`/etc/nccl.conf`). Blanks around a value do not count, and an empty value is as good as none. Where an NCCL variable is
named, it is used when netsense's own is not set. netsense never sets a variable itself.

An unknown `NETSENSE_` name or a value that is not allowed is reported with a warning that names the nearest valid one;
the job goes on without it. `netsense-info` shows each setting, its value and where that came from.

| Variable | Values | Default | NCCL variable | Meaning |
|---|---|---|---|---|
)";

constexpr const char* kNotes = R"(
Sizes take `K`, `M` or `G` (powers of 1024), times are in seconds with decimals (`0.5`) or in milliseconds with `ms`
(`500ms`), switches also take `1`/`0`, `true`/`false` and `yes`/`no`.

Give every rank of a job the same values. Streams, block size and checksum of a connection are the sender's; a receiver
follows what each frame says.
)";

std::string default_of(const config::Setting& setting) {
  const std::string value = config::print_value(setting, config::Settings{});
  return value.empty() ? std::string(setting.empty_means) : fmt::format("`{}`", value);
}

std::string row(const config::Setting& setting) {
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", setting.name, config::allowed_values(setting, false),
                     default_of(setting),
                     setting.nccl_variable.empty() ? "" : fmt::format("`{}`", setting.nccl_variable), setting.help);
}

}  // namespace

std::string settings_markdown() {
  std::string text = kIntroduction;
  for (const config::Setting& setting : config::settings_table()) text += row(setting);
  return text + kNotes;
}

}  // namespace netsense::info
