#include "tools/weir/usage_problem.h"

#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/config/secret_names.h"

namespace weir {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

namespace {

/// The command that was given, with those above it: `weir checkpoints list`.
std::pair<const CLI::App*, std::string> given_command(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string name = "weir";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return {command, name};
}

/// A word that the command does not take: an option that it does not have, a command that it does not have, or one word too
/// many.
std::string unexpected_word(const std::string& all, const std::vector<std::string>& words, const CLI::App& program,
                            const CLI::App& command, const std::string& name) {
  const std::string list = " " + all + " ";  // from the last one to the first
  const auto is_unexpected = [&](const std::string& w) { return list.find(" " + w + " ") != std::string::npos; };
  const auto at = std::find_if(words.begin(), words.end(), is_unexpected);
  const std::string word = at == words.end() ? all : *at;
  const std::string see = fmt::format("`{} --help` says what it takes", name);
  if (word.starts_with("-")) {
    std::vector<std::string> names;
    for (const CLI::App* owner : {&command, &program})
      for (const CLI::Option* option : owner->get_options())
        for (const std::string& long_name : option->get_lnames()) names.push_back("--" + long_name);
    const std::string option = word.substr(0, word.find('='));
    const std::string hint = nearest_hint(option.starts_with("--") ? option : "-" + option, names);
    return fmt::format("{} has no option {}; {}", name, option, hint.empty() ? see : hint);
  }
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty()) {
    const std::string hint = nearest_hint(word, commands);
    return fmt::format("{} has no command {}; {}", name, word,
                       hint.empty() ? fmt::format("it has {}", fmt::join(commands, ", ")) : hint);
  }
  const bool is_secret = at != words.end() && at != words.begin() && names_a_secret(*(at - 1));
  return fmt::format("{} takes no further word: {}; {}", name, is_secret ? "***" : word, see);
}

}  // namespace

std::string usage_problem(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& words) {
  const auto [command, name] = given_command(app);
  const std::string what = e.what(), see = fmt::format("`{} --help` says what it takes", name);
  const std::vector<std::string> commands = command_names(*command);
  if (dynamic_cast<const CLI::ExtrasError*>(&e))
    return unexpected_word(what.substr(what.find(": ") + 2), words, app, *command, name);
  if (what == "A subcommand is required") {
    const auto own = command == &app ? words.begin() : std::find(words.begin(), words.end(), command->get_name()) + 1;
    if (own != words.end()) return unexpected_word(*own, words, app, *command, name);
    return fmt::format("{} needs a command: {}", name, fmt::join(commands, ", "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e))
    return fmt::format("{} needs a value; {}", what.substr(0, what.find(':')), see);
  if (e.get_name() == "RequiredError") {
    const std::string argument = what.substr(0, what.find(' '));
    const CLI::Option* option = command->get_option_no_throw(argument);
    const std::string description = option ? option->get_description() : std::string();
    return fmt::format("{} needs {}{}; {}", name, argument, description.empty() ? "" : ": " + description, see);
  }
  return fmt::format("{}; {}", what, see);
}

}  // namespace weir
