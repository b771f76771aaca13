#include "connectors/kafka/exactly_once/exactly_once.h"

#include <catch2/catch.hpp>

#include "tests/connectors/kafka/kafka_binding.h"

using namespace weir;
using Catch::Contains;

namespace {

class NoEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
  std::string file(const std::string&) const override { return {}; }
};

/// A file with connections `main` and `other`, a source and the given sinks, of which all are checked.
struct CheckedFile {
  explicit CheckedFile(const std::string& sinks, const std::string& main = "brokers: \"b:9092\"",
                       const std::string& top = "", const std::string& source = "") {
    auto text = std::make_shared<const SourceText>(
        "t.yaml",
        "name: t\n" + top + "connections:\n  main: {type: kafka, " + main +
            "}\n  other: {type: kafka, brokers: \"o:9092\"}\nsources:\n  in: {type: kafka, connection: main, topic: t" +
            source + "}\nsinks:\n" + sinks);
    file = read_pipeline(text, {}, NoEnvironment(), components.catalogue(), diagnostics);
    REQUIRE(file);
    for (const Component& sink : file->sinks)
      if (guarantee_of(sink, *file) == Guarantee::kExactlyOnce) check_exactly_once(sink, *file, diagnostics);
  }
  std::string said() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted())
      out += (d.severity == Severity::kError ? "error: " : "warning: ") + d.text + "\n";
    return out;
  }
  Guarantee of(int sink) const { return guarantee_of(file->sinks[static_cast<std::size_t>(sink)], *file); }

  Components components = kafka_components();
  Diagnostics diagnostics;
  std::optional<PipelineFile> file;
};

std::string sink(const std::string& name, const std::string& more, const std::string& connection = "main") {
  return "  " + name + ": {from: in, type: kafka, connection: " + connection + ", topic: " + name + more + "}\n";
}

const std::string kExactly = ", guarantee: exactly_once";

}  // namespace

TEST_CASE("sinks beside an exactly-once one are exactly once, on its connection, unless they say otherwise") {
  const CheckedFile f(sink("a", "") + sink("b", kExactly) + sink("c", ", guarantee: at_least_once") +
                      sink("d", ", guarantee: none") + sink("e", "", "other"));
  CHECK(f.of(0) == Guarantee::kExactlyOnce);
  CHECK(f.of(1) == Guarantee::kExactlyOnce);
  CHECK(f.of(2) == Guarantee::kAtLeastOnce);
  CHECK(f.of(3) == Guarantee::kNone);
  CHECK(f.of(4) == Guarantee::kAtLeastOnce);
  // One warning for all that promise less.
  CHECK(f.diagnostics.sorted().size() == 1);
  CHECK_THAT(
      f.said(),
      Contains("warning") &&
          Contains("may have rows twice: c (at_least_once), e (at_least_once); may have rows twice or miss some: d (none)"));
}

TEST_CASE("a sink that promises less is said to miss rows only where it may") {
  CHECK_THAT(CheckedFile(sink("a", kExactly) + sink("b", ", guarantee: at_least_once")).said(),
             Contains("may have rows twice: b (at_least_once)") && !Contains("miss"));
  CHECK_THAT(CheckedFile(sink("a", kExactly) + sink("b", ", guarantee: none")).said(),
             Contains("miss some: b (none)") && !Contains("twice: "));
  CHECK(CheckedFile(sink("a", kExactly) + sink("b", "")).said().empty());
}

TEST_CASE("only one connection can be exactly once") {
  const CheckedFile f(sink("a", kExactly) + sink("b", kExactly, "other"));
  CHECK_THAT(f.said(), Contains("error: only one connection of a file can be exactly once, and that of sink a is: main"));
}

TEST_CASE("what exactly once cannot go together with is refused") {
  CHECK_THAT(CheckedFile(sink("a", kExactly), "brokers: embedded").said(), Contains("error: the embedded broker"));
  CHECK_THAT(CheckedFile(sink("a", kExactly), "brokers: \"b:1\"", "checkpoint: {interval: 0}\n").said(),
             Contains("error: checkpoint.interval 0 and exactly_once (sink a)"));
  CHECK_THAT(CheckedFile(sink("a", kExactly), "brokers: \"b:1\", producer: {message.timeout.ms: 1000}").said(),
             Contains("error: 'message.timeout.ms' cannot be given with exactly_once"));
  CHECK(CheckedFile(sink("a", ""), "brokers: \"b:1\", producer: {message.timeout.ms: 1000}", "checkpoint: {interval: 0}\n")
            .said()
            .empty());
}

TEST_CASE("what weakens exactly once is warned of") {
  CHECK_THAT(CheckedFile(sink("a", kExactly), "brokers: \"b:1\"", "", ", isolation: read_uncommitted").said(),
             Contains("warning: source in reads rows of transactions that may be aborted"));
  CHECK_THAT(CheckedFile(sink("a", kExactly), "brokers: \"b:1\", transaction_timeout: 15s").said(),
             Contains("warning: a checkpoint is taken after half of transaction_timeout"));
  for (const char* timeout : {"20s", "59999ms"})
    CHECK_THAT(CheckedFile(sink("a", kExactly), fmt::format("brokers: \"b:1\", transaction_timeout: {}", timeout)).said(),
               Contains("warning: below 60s a transaction may time out while its broker restarts") && !Contains("half of"));
  CHECK(CheckedFile(sink("a", kExactly), "brokers: \"b:1\", transaction_timeout: 60s").said().empty());
  CHECK(CheckedFile(sink("a", ""), "brokers: \"b:1\", transaction_timeout: 20s").said().empty());
}
