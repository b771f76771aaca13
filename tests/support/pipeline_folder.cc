#include "tests/support/pipeline_folder.h"

#include <nlohmann/json.hpp>

namespace weir {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// The JSON that a command printed; throws with what it said when it failed.
json printed_json(const ProcessResult& result, const std::string& command) {
  if (result.exit_code != 0)
    throw std::runtime_error(command + " ended with " + std::to_string(result.exit_code) + ": " + result.errors);
  return json::parse(result.output);
}

}  // namespace

PipelineFolder::PipelineFolder(const std::string& yaml) { rewrite(yaml); }

void PipelineFolder::rewrite(const std::string& yaml) {
  std::string text = yaml;
  if (yaml.find("checkpoint:") == yaml.npos) text = "checkpoint: { dir: checkpoints, interval: 100ms }\n" + text;
  if (yaml.find("name:") == yaml.npos) text = "name: \"${JOB}\"\n" + text;
  files_.write("pipeline.yaml", text);
}

ProcessOptions PipelineFolder::options() const {
  std::map<std::string, std::string> environment = {{"JOB", job_}};
  for (const auto& [variable, value] : environment_)
    if (!value.empty()) environment[variable] = value;
  return {.environment = std::move(environment), .working_folder = files_.path(), .input = {}};
}

Process PipelineFolder::start(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"run", "pipeline.yaml"});
  return Process(weir_program(), std::move(arguments), options());
}

ProcessResult PipelineFolder::run(std::vector<std::string> arguments, Process::Duration limit) const {
  arguments.insert(arguments.begin(), {"run", "pipeline.yaml"});
  return weir(std::move(arguments), limit);
}

void PipelineFolder::start_and_kill(int times, std::chrono::milliseconds later) const {
  for (int i = 0; i < times; ++i) {
    Process process = start();
    process.wait_for_line("committed", std::chrono::seconds(20));
    std::this_thread::sleep_for(later * i);
    process.kill();
  }
}

ProcessResult PipelineFolder::weir(std::vector<std::string> arguments, Process::Duration limit) const {
  return run_weir(std::move(arguments), options(), limit);
}

std::vector<ListedCheckpoint> PipelineFolder::list() const {
  const json objects = printed_json(weir({"checkpoints", "list", checkpoints().string(), "--json"}), "checkpoints list");
  std::vector<ListedCheckpoint> found;
  for (const json& o : objects) {
    char name[32];
    std::snprintf(name, sizeof name, "chk-%06d", o.at("id").get<int>());
    fs::path path = checkpoints() / name;
    if (o.at("state") == "prepared") path += ".prepared";
    found.push_back({o.at("id"), o.at("run"), o.at("state"), path});
  }
  return found;
}

ListedCheckpoint PipelineFolder::newest() const {
  const std::vector<ListedCheckpoint> all = list();
  for (auto i = all.rbegin(); i != all.rend(); ++i)
    if (i->state != "prepared") return *i;
  throw std::runtime_error("no committed checkpoint in " + checkpoints().string());
}

std::map<int, std::int64_t> PipelineFolder::positions_of(const fs::path& checkpoint, const std::string& source) const {
  const json shown = printed_json(weir({"checkpoints", "show", checkpoint.string(), "--json"}), "checkpoints show");
  std::map<int, std::int64_t> positions;
  for (const json& split : shown.at("sources").at(source).at("splits"))
    positions[split.at("partition")] =
        split.at("next_offset").is_number_integer() ? split.at("next_offset").get<std::int64_t>() : -1;
  return positions;
}

std::vector<std::string> lines_with_n(int from, int to) {
  std::vector<std::string> lines;
  for (int n = from; n < to; ++n) lines.push_back("{\"n\":" + std::to_string(n) + "}");
  return lines;
}

std::int64_t member_n(std::string_view text) {
  constexpr std::string_view kBegin = "{\"n\":";
  if (!text.starts_with(kBegin)) throw std::runtime_error("not a row with n: " + std::string(text));
  return std::strtoll(std::string(text.substr(kBegin.size())).c_str(), nullptr, 10);
}

std::vector<std::int64_t> members_n(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(texts.size());
  for (const std::string& text : texts) numbers.push_back(member_n(text));
  return numbers;
}

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines.emplace_back(text.substr(0, end));
  if (!text.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace weir
