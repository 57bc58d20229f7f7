// The live table on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace netsense::top {

class Screen {
 public:
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  void show(std::vector<std::string> lines);
  // Scrolls as the user asks for. False when the user wants to leave.
  bool wait(std::chrono::duration<double> time);

 private:
  void draw() const;

  std::vector<std::string> lines_;
  size_t first_ = 0;  // line at the top
};

}  // namespace netsense::top
