#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>

#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/base/printable.h"
#include "runtime/base/secrets.h"
#include "runtime/config/reference.h"
#include "runtime/config/scalars.h"
#include "runtime/job/failure.h"
#include "tools/weir/allocator.h"
#include "tools/weir/checkpoints_command.h"
#include "tools/weir/expression_command.h"
#include "tools/weir/json_log.h"
#include "tools/weir/masking_log.h"
#include "tools/weir/pipeline_command.h"
#include "tools/weir/standard_descriptors.h"
#include "tools/weir/state_command.h"
#include "tools/weir/usage_problem.h"
#include "tools/weir/wiring.h"

namespace weir {

namespace {

int exit_code(Blame blame) {
  switch (blame) {
    case Blame::kUser: return 2;
    case Blame::kData:
    case Blame::kEnvironment:
    case Blame::kRefused: return 3;
    case Blame::kFenced: return 4;
    case Blame::kBug: return 1;
  }
  return 1;
}

struct GlobalOptions {
  std::string log_level = "info";
  std::string log_format = "text";
  std::string color = "auto";

  Looks looks() const { return {color == "always" || (color == "auto" && isatty(STDERR_FILENO))}; }
};

void set_up_log(const GlobalOptions& options) {
  const auto mode = options.color == "always"  ? spdlog::color_mode::always
                    : options.color == "never" ? spdlog::color_mode::never
                                               : spdlog::color_mode::automatic;
  auto logger = std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode));
  logger->set_level(spdlog::level::from_str(options.log_level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
  std::unique_ptr<spdlog::formatter> formatter;
  if (options.log_format == "json") formatter = make_json_formatter();
  else formatter = make_printable_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v"));
  logger->set_formatter(make_masking_formatter(std::move(formatter)));
}

/// The command line: options of every command, and what to do.
class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", std::string("weir ") + WEIR_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.add_option("--log-level", global_.log_level, "trace, debug, info, warn, error, off")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
    app_.add_option("--log-format", global_.log_format, "text or json")->check(CLI::IsMember({"text", "json"}));
    app_.add_option("--color", global_.color, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
    app_.footer(
        "examples:\n  weir validate orders.yaml\n  weir run orders.yaml\n  weir run orders.yaml --set sources.in.topic=test "
        "--stop-after 30s\n"
        "  weir checkpoints show checkpoints/orders/chk-000042\n  weir eval \"upper('a') || 1\"");
    add_run();
    add_pipeline_commands();
    add_checkpoint_commands();
    add_reference_commands();
    refuse_options_as_values(app_);
  }

  int run(int argc, char** argv) {
    try {
      std::vector<std::string> words = with_expression_last(std::vector<std::string>(argv + 1, argv + argc));
      std::reverse(words.begin(), words.end());  // as CLI11 wants them
      app_.parse(std::move(words));
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == 0) return app_.exit(e);  // --help, --version
      const std::string unknown = unknown_command(argc, argv);
      report(unknown.empty() ? usage_problem(app_, e, {argv + 1, argv + argc}) : unknown, Blame::kUser);
      return 2;
    }
    set_up_log(global_);
    return command_();
  }

  /// Says what ended the command: in the log of a job, else (also where the command line or the file is wrong) plainly.
  void report(const std::string& text, Blame blame) const {
    if (app_.got_subcommand("run") && blame != Blame::kUser) spdlog::error("{}", text);
    else std::fprintf(stderr, "weir: error: %s\n", printable_lines(masked(text)).c_str());
  }

 private:
  /// `--drop-state --fresh`: the second word is an option, not the value of the first.
  static void refuse_options_as_values(CLI::App& app) {
    const auto check = [](const std::string& value) {
      return value.starts_with("--") ? fmt::format("needs a value before {}", value.substr(0, value.find('=')))
                                     : std::string();
    };
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) refuse_options_as_values(*command);
    for (CLI::Option* option : app.get_options())
      if (!option->get_lnames().empty() && option->get_items_expected_max() > 0) option->check(CLI::Validator(check, ""));
  }

  /// Of `eval`: an expression that begins with a minus is no option, which is said by putting it behind `--`.
  static std::vector<std::string> with_expression_last(std::vector<std::string> words) {
    const auto eval = std::find(words.begin(), words.end(), "eval");
    if (eval == words.end() || std::find(eval, words.end(), "--") != words.end()) return words;
    const auto is_minus = [](const std::string& word) {
      return word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h";
    };
    const auto expression = std::find_if(eval + 1, words.end(), is_minus);
    if (expression == words.end()) return words;
    std::string text = std::move(*expression);
    words.erase(expression);
    words.push_back("--");
    words.push_back(std::move(text));
    return words;
  }

  /// What to say when the first word is no command, which CLI11 takes for none at all; or empty.
  std::string unknown_command(int argc, char** argv) const {
    if (argc < 2 || *argv[1] == '-') return "";
    const std::vector<std::string> names = command_names(app_);
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
    const std::string word = argv[1];
    if (word.ends_with(".yaml") || word.ends_with(".yml"))
      return fmt::format("a command is missing; write weir run {}", word);
    if (word == "help" || word == "version") return fmt::format("no command is named {0}; write weir --{0}", word);
    const std::string hint = nearest_hint(word, names);
    return fmt::format("no command is named {}; {}", word, hint.empty() ? "`weir --help` lists them" : hint);
  }

  /// Adds a command with examples of its own (else CLI11 shows those of the command above it), a line each.
  static CLI::App& add_command(CLI::App& above, const char* name, const char* what,
                               std::initializer_list<const char*> examples) {
    CLI::App& command = *above.add_subcommand(name, what);
    command.footer(fmt::format("examples:\n  {}", fmt::join(examples, "\n  ")));
    return command;
  }

  /// A number of rows, said in words that fit the option.
  static CLI::Validator row_count() {
    return CLI::Validator(
        [](const std::string& text) -> std::string {
          std::uint64_t rows = 0;
          const char* end = text.data() + text.size();
          const auto [stop, error] = std::from_chars(text.data(), end, rows);
          return error == std::errc() && stop == end ? ""
                                                     : fmt::format("takes a number of rows, 0 or more; given: {}", text);
        },
        "ROWS");
  }

  static Duration duration_option(const std::string& text, const char* option) {
    if (const auto d = parse_duration(text)) return *d;
    throw Error(Blame::kUser, fmt::format("{} takes a duration like 30s or 5m, not {}", option, text));
  }

  void add_set(CLI::App& command) {
    command.add_option("--set", sets_, "PATH=VALUE: replaces a value of the file, as in --set sources.in.topic=test")
        ->allow_extra_args(false);
  }

  void add_run() {
    CLI::App& c = add_command(app_, "run", "runs a pipeline; continues from the newest committed checkpoint",
                              {"weir run orders.yaml", "weir run orders.yaml --from checkpoints/orders/chk-000042",
                               "weir run orders.yaml --fresh --stop-after 30s"});
    c.add_option("file", path_, "the pipeline file")->required();
    add_set(c);
    c.add_option("--from", from_, "start from this checkpoint folder");
    c.add_flag("--fresh", job_.fresh, "ignore all checkpoints and start anew");
    c.add_flag("--continue", job_.read_on, "a finished job reads on to the end as it is now");
    c.add_option("--verify", verify_, "full or sizes: how closely the checkpoint is verified")
        ->check(CLI::IsMember({"full", "sizes"}));
    c.add_flag("--allow-duplicates", job_.allow_duplicates, "restore although rows may come twice");
    c.add_option("--in-doubt", in_doubt_, "committed or aborted: what a prepared checkpoint without a marker is taken for")
        ->check(CLI::IsMember({"committed", "aborted"}));
    c.add_flag("--copy", job_.copy, "start from a checkpoint of another job, which is not touched");
    c.add_flag("--take-over", job_.take_over, "start from a checkpoint of another job, which is ended");
    c.add_option("--drop-state", job_.drop_state, "give up the state of this step or source")->allow_extra_args(false);
    c.add_option("--stop-after", stop_after_, "stop gracefully after this time");
    c.add_option("--http", http_, "not supported yet");
    c.add_option("--trace", trace_, "not supported yet");
    c.add_flag("--quiet", job_.quiet, "no progress");
    c.callback([this] { command_ = [this] { return run_job(); }; });
  }

  int run_job() {
    // The reader of a job's rows that goes away is a failure of the job. Other commands end at once, as usual.
    std::signal(SIGPIPE, SIG_IGN);
    if (!http_.empty()) throw Error(Blame::kUser, "--http is not supported yet");
    if (!trace_.empty()) throw Error(Blame::kUser, "--trace is not supported yet");
    if (job_.take_over && job_.copy) throw Error(Blame::kUser, "--take-over and --copy exclude each other");
    if ((job_.take_over || job_.copy) && from_.empty())
      throw Error(Blame::kUser, "--take-over and --copy need --from CHECKPOINT");
    if (job_.fresh && !from_.empty())
      throw Error(Blame::kUser, "--fresh and --from exclude each other: --fresh begins without any checkpoint");
    if (job_.fresh && job_.read_on)
      throw Error(Blame::kUser,
                  "--fresh and --continue exclude each other: --continue goes on from the last checkpoint, --fresh begins "
                  "without any");
    if (!from_.empty()) job_.from = from_;
    if (!stop_after_.empty()) job_.stop_after = duration_option(stop_after_, "--stop-after");
    if (verify_ == "full") job_.verify = VerifyLevel::kFull;
    if (verify_ == "sizes") job_.verify = VerifyLevel::kSizes;
    if (!in_doubt_.empty()) job_.in_doubt = in_doubt_ == "committed" ? InDoubt::kCommitted : InDoubt::kAborted;
    return run_command(path_, sets_, job_, global_.looks());
  }

  void add_pipeline_commands() {
    CLI::App& validate = add_command(app_, "validate", "says all problems of pipeline files; contacts nothing",
                                     {"weir validate orders.yaml", "weir validate pipelines/*.yaml",
                                      "weir validate orders.yaml --set sources.in.topic=test"});
    validate.add_option("files", paths_, "pipeline files")->required();
    validate.add_flag("--connect", connect_, "not supported yet");
    add_set(validate);
    validate.callback([this] {
      command_ = [this] {
        if (connect_) throw Error(Blame::kUser, "validate --connect is not supported yet");
        return validate_command(paths_, sets_, global_.looks());
      };
    });
    CLI::App& explain = add_command(app_, "explain", "shows steps, schemas, tasks and guarantees",
                                    {"weir explain orders.yaml", "weir explain orders.yaml --format mermaid"});
    explain.add_option("file", path_, "the pipeline file")->required();
    explain.add_option("--format", format_, "text, json or mermaid")->check(CLI::IsMember({"text", "json", "mermaid"}));
    add_set(explain);
    explain.callback([this] { command_ = [this] { return explain_command(path_, sets_, format_, global_.looks()); }; });
    for (const char* name : {"test", "offsets", "savepoint", "doctor", "create", "status", "tap"}) {
      CLI::App& later = *app_.add_subcommand(name, "not supported yet");
      later.footer("");
      later.allow_extras()->fallthrough(false);  // or the extras are the main command's
      later.callback([this, name] {
        command_ = [name]() -> int { throw Error(Blame::kUser, fmt::format("weir {} is not supported yet", name)); };
      });
    }
  }

  void add_checkpoint_commands() {
    CLI::App& checkpoints =
        add_command(app_, "checkpoints", "looks into checkpoint folders",
                    {"weir checkpoints list checkpoints/orders", "weir checkpoints show checkpoints/orders/chk-000042",
                     "weir checkpoints verify checkpoints/orders/chk-000042"});
    checkpoints.require_subcommand(1);
    CLI::App& list =
        add_command(checkpoints, "list", "the checkpoints of a job",
                    {"weir checkpoints list checkpoints/orders", "weir checkpoints list checkpoints/orders --json"});
    list.add_option("dir", path_, "the job's folder: <checkpoint.dir>/<name>")->required();
    list.add_flag("--json", json_, "as JSON");
    list.callback([this] { command_ = [this] { return checkpoints_list(path_, json_, stdout); }; });
    CLI::App& show = add_command(checkpoints, "show", "positions, watermarks, state and sinks of a checkpoint",
                                 {"weir checkpoints show checkpoints/orders/chk-000042",
                                  "weir checkpoints show checkpoints/orders/chk-000042 --json"});
    show.add_option("checkpoint", path_, "the checkpoint's folder")->required();
    show.add_flag("--json", json_, "as JSON");
    show.callback([this] { command_ = [this] { return checkpoints_show(path_, json_, stdout); }; });
    CLI::App& verify = add_command(checkpoints, "verify", "checks files and checksums of a checkpoint",
                                   {"weir checkpoints verify checkpoints/orders/chk-000042"});
    verify.add_option("checkpoint", path_, "the checkpoint's folder")->required();
    verify.callback([this] { command_ = [this] { return checkpoints_verify(path_, stdout); }; });

    CLI::App& state = add_command(app_, "state", "looks into the state of a checkpoint",
                                  {"weir state ls checkpoints/orders/chk-000042",
                                   "weir state dump checkpoints/orders/chk-000042 --step per_minute --limit 10",
                                   "weir state diff checkpoints/orders/chk-000041 checkpoints/orders/chk-000042"});
    state.require_subcommand(1);
    CLI::App& ls =
        add_command(state, "ls", "the tables",
                    {"weir state ls checkpoints/orders/chk-000042", "weir state ls checkpoints/orders/chk-000042 --json"});
    ls.add_option("checkpoint", path_, "the checkpoint's folder")->required();
    ls.add_flag("--json", json_, "as JSON");
    ls.callback([this] { command_ = [this] { return state_ls(path_, json_, stdout); }; });
    CLI::App& dump = add_command(state, "dump", "decoded rows",
                                 {"weir state dump checkpoints/orders/chk-000042",
                                  "weir state dump checkpoints/orders/chk-000042 --step per_minute --key '{\"customer\":7}'",
                                  "weir state dump checkpoints/orders/chk-000042 --limit 10 --format table"});
    dump.add_option("checkpoint", path_, "the checkpoint's folder")->required();
    dump.add_option("--step", dump_.step, "only this step or source");
    dump.add_option("--table", dump_.table, "only this table");
    dump.add_option("--key", dump_.key, "only rows whose key has these values: a JSON object, read with the key's types");
    dump.add_option("--limit", dump_.limit, "at most so many rows")->check(row_count());
    dump.add_option("--format", dump_format_, "json, csv or table")->check(CLI::IsMember({"json", "csv", "table"}));
    dump.callback([this] {
      command_ = [this] {
        dump_.format = dump_format_ == "csv"     ? DumpFormat::kCsv
                       : dump_format_ == "table" ? DumpFormat::kTable
                                                 : DumpFormat::kJson;
        return state_dump(path_, dump_, stdout);
      };
    });
    CLI::App& diff = add_command(state, "diff", "what differs between two checkpoints",
                                 {"weir state diff checkpoints/orders/chk-000041 checkpoints/orders/chk-000042"});
    diff.add_option("a", path_, "a checkpoint's folder")->required();
    diff.add_option("b", other_path_, "another")->required();
    diff.callback([this] { command_ = [this] { return state_diff(path_, other_path_, stdout); }; });
  }

  void add_reference_commands() {
    CLI::App& eval = add_command(app_, "eval", "evaluates an expression",
                                 {"weir eval \"upper('a') || 1\"", "weir eval \"price * quantity\" --input row.json"});
    eval.add_option("expression", text_)->required();
    eval.add_option("--input", input_, "a JSON file with one object: its members are the columns");
    eval.add_flag("--json", json_, "as JSON");
    eval.callback([this] { command_ = [this] { return eval_command(text_, input_, json_, stdout); }; });
    CLI::App& components = add_command(app_, "components", "the reference of connections, sources, steps, sinks and formats",
                                       {"weir components", "weir components kafka"});
    components.add_option("name", text_, "only this one");
    components.callback([this] { command_ = [this] { return list_components(); }; });
    CLI::App& functions = add_command(app_, "functions", "the reference of functions and operators",
                                      {"weir functions", "weir functions date_trunc"});
    functions.add_option("name", text_, "only this one");
    functions.callback([this] { command_ = [this] { return functions_command(text_, stdout); }; });
    CLI::App& schema =
        add_command(app_, "schema", "the JSON schema of pipeline files, for editors", {"weir schema > weir.schema.json"});
    schema.callback([this] {
      command_ = [] {
        Components all;
        add_all_components(all);
        std::printf("%s\n", json_schema(all.catalogue()).c_str());
        return 0;
      };
    });
  }

  int list_components() {
    Components all;
    add_all_components(all);
    if (text_.empty()) {
      std::fputs(component_list(all.catalogue()).c_str(), stdout);
      return 0;
    }
    bool found = false, later = false;
    std::vector<std::string> names;
    for (const Declaration& d : all.catalogue().all()) {
      if (d.kind != ComponentKind::kSection) names.push_back(d.name);
      if (d.name != text_) continue;
      later |= !d.supported;
      if (!d.supported) continue;
      std::printf("%s%s", found ? "\n" : "", reference_page(d).c_str());
      found = true;
    }
    if (found) return 0;
    if (later) throw Error(Blame::kUser, fmt::format("{} is not supported yet", text_));
    const std::string hint = nearest_hint(text_, names);
    throw Error(Blame::kUser,
                fmt::format("no component is named {}; {}", text_, hint.empty() ? "`weir components` lists them" : hint));
  }

  CLI::App app_{"weir: a stream processor in one binary; a pipeline is a YAML file", "weir"};
  GlobalOptions global_;
  JobOptions job_;
  DumpOptions dump_;
  std::string path_, other_path_, from_, verify_, in_doubt_, stop_after_, http_, trace_, text_, input_,
      format_ = "text", dump_format_ = "json";
  std::vector<std::string> paths_, sets_;
  bool json_ = false, connect_ = false;
  std::function<int()> command_;
};

}  // namespace

}  // namespace weir

int main(int argc, char** argv) {
  weir::open_standard_descriptors();
  weir::settle_allocator();
  weir::CommandLine command;
  try {
    return command.run(argc, argv);
  } catch (const std::exception& thrown) {
    if (const auto e = weir::failure_of(std::current_exception())) {
      command.report(e->blame() == weir::Blame::kBug ? fmt::format("internal error: {}", e->what()) : e->text(), e->blame());
      return weir::exit_code(e->blame());
    }
    command.report(fmt::format("internal error: {}", thrown.what()), weir::Blame::kBug);
    return 1;
  }
}
