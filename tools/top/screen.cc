#include "tools/top/screen.h"

#include <curses.h>

#include <algorithm>

namespace netsense::top {

Screen::Screen() {
  initscr();
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  curs_set(0);
}

Screen::~Screen() {
  endwin();
}

void Screen::show(std::vector<std::string> lines) {
  lines_ = std::move(lines);
  draw();
}

bool Screen::wait(std::chrono::duration<double> time) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return true;
    timeout(static_cast<int>(left));
    switch (getch()) {
      case 'q':
      case 'Q':
        return false;
      case KEY_DOWN:
        ++first_;
        break;
      case KEY_UP:
        first_ -= first_ == 0 ? 0 : 1;
        break;
      default:
        break;
    }
    draw();
  }
}

void Screen::draw() const {
  erase();
  const size_t first = std::min(first_, lines_.empty() ? 0 : lines_.size() - 1);
  for (int row = 0; row < LINES && first + static_cast<size_t>(row) < lines_.size(); ++row) {
    mvaddnstr(row, 0, lines_[first + static_cast<size_t>(row)].c_str(), COLS);
  }
  refresh();
}

}  // namespace netsense::top
