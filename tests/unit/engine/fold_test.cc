// What a trace looks like after folding: repeated polls become one line with a count, and lines are numbered
// anew.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tools/engine/trace/fold.h"

using namespace netsense::engine;

namespace {

class Tracing {
 public:
  void call(const std::string& name, const std::string& args = "", Poll poll = Poll::kNo,
            const std::string& request = "", const std::string& thread = "main", int64_t inside = -1) {
    TraceRecord record;
    record.number = next_++;
    record.thread = thread;
    record.api = "net";
    record.call = name;
    record.args = args;
    record.poll = poll;
    record.request = request;
    record.inside = inside;
    folder_.add(std::move(record), lines_);
  }
  void test(const std::string& request) { call("test", "", Poll::kTest, request); }
  void flush(const std::string& thread = "") { folder_.flush(thread, lines_); }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  Folder folder_;
  uint64_t next_ = 0;
  std::string lines_;
};

std::string line(int number, const std::string& call, const std::string& args = "",
                 const std::string& extra = "", const std::string& thread = "main") {
  return R"({"n":)" + std::to_string(number) + R"(,"t":")" + thread + R"(","api":"net","call":")" + call +
         R"(","args":{)" + args + R"(},"out":{},"ret":"ok")" + extra + "}\n";
}

}  // namespace

TEST_CASE("calls that are no polls stay as they are") {
  Tracing trace;
  trace.call("listen");
  trace.call("listen");
  CHECK(trace.lines() == line(0, "listen") + line(1, "listen"));
}

TEST_CASE("a poll repeated with the same answer is one line with a count") {
  Tracing trace;
  for (int i = 0; i < 3; ++i) trace.call("accept", R"("lc":"l0")", Poll::kNothing);
  CHECK(trace.lines().empty());
  trace.call("closeListen");
  CHECK(trace.lines() == line(0, "accept", R"("lc":"l0")", R"(,"count":3)") + line(1, "closeListen"));
}

TEST_CASE("polls with other arguments are lines of their own, in one run") {
  Tracing trace;
  for (int i = 0; i < 2; ++i) {
    trace.call("accept", R"("lc":"l0")", Poll::kNothing);
    trace.call("accept", R"("lc":"l1")", Poll::kNothing);
  }
  trace.flush();
  CHECK(trace.lines() == line(0, "accept", R"("lc":"l0")", R"(,"run":0,"count":2)") +
                             line(1, "accept", R"("lc":"l1")", R"(,"run":0,"count":2)"));
}

TEST_CASE("tests are counted by request") {
  Tracing trace;
  trace.test("q0");
  trace.test("q1");
  trace.test("q0");
  trace.flush();
  CHECK(trace.lines() == line(0, "test", R"("req":["q0","q1"])", R"(,"count":[2,1])"));
}

TEST_CASE("attributes told before each attempt belong to the attempt") {
  Tracing trace;
  for (int i = 0; i < 2; ++i) {
    trace.call("setNetAttr", R"("op":1)");
    trace.call("connect", R"("dev":0)", Poll::kNothing);
  }
  trace.flush();
  CHECK(trace.lines() == line(0, "connect", R"("dev":0,"setNetAttr_before_each":{"op":1})", R"(,"count":2)"));
}

TEST_CASE("attributes that no attempt follows are a line") {
  Tracing trace;
  trace.call("setNetAttr", R"("op":1)");
  trace.call("isend");
  CHECK(trace.lines() == line(0, "setNetAttr", R"("op":1)") + line(1, "isend"));
}

TEST_CASE("a call inside another names the line of that one") {
  Tracing trace;
  trace.call("accept", "", Poll::kNothing);
  trace.call("accept", "", Poll::kNothing);
  trace.call("isend");  // call 2 is line 1
  trace.call("startEvent", "", Poll::kNo, "", "main", 2);
  CHECK(trace.lines() ==
        line(0, "accept", "", R"(,"count":2)") + line(1, "isend") + line(2, "startEvent", "", R"(,"in":1)"));
}

TEST_CASE("threads fold apart and end apart") {
  Tracing trace;
  trace.call("accept", "", Poll::kNothing, "", "service");
  trace.call("irecv", "", Poll::kNothing, "", "progress");
  trace.call("accept", "", Poll::kNothing, "", "service");
  trace.flush("service");
  CHECK(trace.lines() == line(0, "accept", "", R"(,"count":2)", "service"));
  trace.flush();
  CHECK(trace.lines() == line(0, "accept", "", R"(,"count":2)", "service") +
                             line(1, "irecv", "", R"(,"count":1)", "progress"));
}
