#include "runtime/config/synonyms.h"

#include <algorithm>
#include <utility>

#include "runtime/base/nearest.h"

namespace weir {
namespace {

/// What other programs call things, in lower case without `_`, `-` and dots; one word may stand for several of ours.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"where", "filter"},        {"having", "filter"},        {"condition", "filter"},
    {"map", "select"},          {"project", "select"},       {"projection", "select"},
    {"columns", "select"},      {"fields", "select"},        {"fields", "schema"},
    {"columns", "schema"},      {"groupby", "by"},           {"group", "by"},
    {"group", "aggregate"},     {"groupby", "aggregate"},    {"key", "by"},
    {"keys", "by"},             {"keyby", "by"},             {"partitionby", "by"},
    {"distinct", "dedup"},      {"deduplicate", "dedup"},    {"unique", "dedup"},
    {"window", "aggregate"},    {"branch", "route"},         {"switch", "route"},
    {"split", "route"},         {"merge", "union"},          {"concat", "union"},
    {"shuffle", "rebalance"},   {"repartition", "rebalance"}, {"input", "from"},
    {"inputs", "from"},         {"source", "from"},          {"upstream", "from"},
    {"tumble", "tumbling"},     {"fixed", "tumbling"},       {"size", "tumbling"},
    {"hop", "hopping"},         {"sliding", "hopping"},      {"slide", "hopping"},
    {"slide", "every"},         {"step", "every"},           {"advance", "every"},
    {"gap", "session"},         {"beginning", "earliest"},   {"begin", "earliest"},
    {"first", "earliest"},      {"oldest", "earliest"},      {"smallest", "earliest"},
    {"end", "latest"},          {"now", "latest"},           {"newest", "latest"},
    {"largest", "latest"},      {"last", "latest"},          {"newest", "last"},
    {"latest", "last"},         {"oldest", "first"},         {"earliest", "first"},
    {"ignore", "skip"},         {"drop", "skip"},            {"continue", "skip"},
    {"warn", "skip"},           {"log", "skip"},             {"stop", "fail"},
    {"abort", "fail"},          {"throw", "fail"},           {"error", "fail"},
    {"deadletter", "emit"},     {"dlq", "emit"},             {"stdout", "console"},
    {"print", "console"},       {"stderr", "console"},       {"blackhole", "discard"},
    {"null", "discard"},        {"devnull", "discard"},      {"datagen", "generator"},
    {"faker", "generator"},     {"random", "generator"},     {"filesystem", "file"},
    {"csv", "file"},            {"json", "file"},            {"jsonl", "file"},
    {"text", "raw"},            {"string", "raw"},           {"bytes", "raw"},
    {"line", "raw"},            {"jsonlines", "json"},       {"ndjson", "json"},
    {"bootstrapservers", "brokers"}, {"bootstrap", "brokers"}, {"servers", "brokers"},
    {"hosts", "brokers"},       {"broker", "brokers"},       {"username", "user"},
    {"groupid", "group"},       {"consumergroup", "group"},  {"offset", "start"},
    {"startfrom", "start"},     {"autooffsetreset", "start"}, {"startingoffset", "start"},
    {"file", "path"},           {"folder", "path"},          {"directory", "path"},
    {"filename", "path"},       {"path", "dir"},             {"folder", "dir"},
    {"directory", "dir"},       {"location", "dir"},         {"period", "interval"},
    {"frequency", "interval"},  {"keep", "retain"},          {"retention", "retain"},
    {"retries", "attempts"},    {"maxattempts", "attempts"}, {"delay", "backoff"},
    {"delay", "max_out_of_orderness"}, {"lateness", "max_out_of_orderness"}, {"allowedlateness", "max_out_of_orderness"},
    {"watermark", "max_out_of_orderness"}, {"watermark", "event_time"}, {"timestamp", "event_time"},
    {"time", "event_time"},     {"field", "column"},         {"timestamp", "column"},
    {"count", "rows"},          {"limit", "rows"},           {"rowspersecond", "rate"},
    {"exactlyonce", "exactly_once"}, {"eos", "exactly_once"}, {"transactional", "exactly_once"},
    {"errors", "on_error"},     {"onerrors", "on_error"},    {"deliveryguarantee", "guarantee"},
    {"delivery", "guarantee"},  {"semantics", "guarantee"},  {"workers", "parallelism"},
    {"threads", "parallelism"}, {"tasks", "parallelism"},    {"checkpoints", "checkpoint"},
    {"checkpointing", "checkpoint"}, {"operators", "steps"}, {"transforms", "steps"},
    {"pipeline", "steps"},      {"output", "sinks"},         {"outputs", "sinks"},
    {"inputs", "sources"},      {"input", "sources"},        {"separator", "delimiter"},
    {"sep", "delimiter"},       {"expression", "expr"},      {"sql", "expr"},
    {"mode", "changelog"},      {"upsert", "changelog"},     {"joinwith", "with"},
};

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (c != '_' && c != '-' && c != '.' && c != ' ') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

}  // namespace

std::string known_as_hint(std::string_view word, std::span<const std::string> candidates) {
  const std::string plain = folded(word);
  const auto is_there = [&](std::string_view name) { return std::find(candidates.begin(), candidates.end(), name) != candidates.end(); };
  for (const auto& [other, ours] : kSynonyms)
    if (other == plain && is_there(ours)) return "did you mean " + std::string(ours) + "?";
  return nearest_hint(word, candidates);
}

}  // namespace weir
