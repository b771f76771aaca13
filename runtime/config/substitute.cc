#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/base/secrets.h"
#include "runtime/base/utf8.h"
#include "runtime/config/environment.h"
#include "runtime/config/secret_names.h"
#include "runtime/config/yaml.h"

namespace weir {
namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string_view trimmed(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Text without characters that would break a line or a terminal.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return out;
}

class Substitution {
 public:
  Substitution(const Environment& environment, Diagnostics& diagnostics)
      : environment_(environment), diagnostics_(diagnostics) {}

  void visit(Node& node) {
    if (node.is_scalar()) scalar(node, false);
    for (Node& item : node.items) visit(item);
    bool changed = false;
    for (Node::Entry& entry : node.entries) {
      changed |= scalar(entry.key, true);
      visit(entry.value);
    }
    if (changed) refuse_duplicate_keys(node, diagnostics_);
  }

 private:
  /// True if the text changed.
  bool scalar(Node& node, bool is_key) {
    if (node.text.find("${") == std::string::npos) return false;
    const std::string text = std::move(node.text);
    const auto from = node.location;
    auto map = std::make_shared<OffsetMap>();
    node.text.clear();
    std::size_t copied = 0;
    const auto copy_to = [&](std::size_t end) {
      if (from.value_map()) from.value_map()->copy(copied, end, *map, node.text.size());
      node.text.append(text, copied, end - copied);
    };
    for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", std::max(at, copied))) {
      if (at > copied && text[at - 1] == '$') {  // $${ is a literal ${
        copy_to(at - 1);
        copied = at;
        at += 2;
        continue;
      }
      const std::size_t close = text.find('}', at);
      if (close == std::string::npos) {
        diagnostics_.error(from.at(at), "this ${ is never closed", "write $${ for a literal ${");
        node.reported = true;
        break;
      }
      copy_to(at);
      map->add(node.text.size(), from.at(at).offset(), true);
      node.text += reference(node, from.at(at), std::string_view(text).substr(at + 2, close - at - 2), is_key);
      copied = close + 1;
    }
    copy_to(text.size());
    map->add(node.text.size(), from.at(text.size()).offset(), true);
    node.location = Location(from.shared_source(), from.offset(), std::move(map));
    return true;
  }

  /// The text that a reference stands for. Problems are reported, and "" is returned.
  std::string reference(Node& node, const Location& where, std::string_view inside, bool is_key) {
    if (inside.starts_with("file:")) return file(node, where, std::string(inside.substr(5)), is_key);
    const std::size_t operation = inside.find(':');
    const std::string name(inside.substr(0, operation));
    const std::string_view rest = operation == std::string_view::npos ? std::string_view() : inside.substr(operation);
    if (!is_name(name) || !(rest.empty() || rest.starts_with(":-") || rest.starts_with(":?"))) {
      return fail(node, where, fmt::format("this is no reference to a variable: '${{{}}}'", one_line(inside)),
                  "write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${file:PATH}; $${ for a literal ${");
    }
    const std::optional<std::string> value = environment_.variable(name);
    const bool is_there = value && (rest.empty() || !value->empty());
    if (is_there && names_a_secret(name)) {
      node.secret = true;
      register_secret(*value);
    }
    if (is_there) return checked(node, where, *value, "the variable " + name);
    if (rest.starts_with(":-")) return std::string(rest.substr(2));
    if (rest.starts_with(":?")) {
      const std::string message = rest.size() > 2 ? one_line(rest.substr(2)) : std::string("it must be set");
      return fail(node, where, fmt::format("the variable {} is not set: {}", name, message), {});
    }
    return fail(node, where, fmt::format("the variable {} is not set", name),
                fmt::format("set it, or give a default: ${{{}:-...}}", name));
  }

  std::string file(Node& node, const Location& where, const std::string& path, bool is_key) {
    if (is_key) return fail(node, where, "a secret may not be part of a key", {});
    node.secret = true;
    try {
      std::string secret = checked(node, where, std::string(trimmed(environment_.file(path))), "the file " + one_line(path));
      register_secret(secret);
      if (!secret.empty()) diagnostics_.conceal(where);
      return secret;
    } catch (const Error& e) {
      return fail(node, where, fmt::format("the file cannot be read: {}: '{}'", e.text(), one_line(path)), {});
    }
  }

  std::string checked(Node& node, const Location& where, std::string value, const std::string& what) {
    for (std::size_t i = 0; i < value.size();) {
      const std::size_t length = utf8_length(std::string_view(value).substr(i));
      if (length == 0) return fail(node, where, what + " does not hold UTF-8", {});
      i += length;
    }
    return value;
  }

  std::string fail(Node& node, const Location& where, std::string text, std::string hint) {
    diagnostics_.error(where, std::move(text), std::move(hint));
    node.reported = true;
    return {};
  }

  const Environment& environment_;
  Diagnostics& diagnostics_;
};

}  // namespace

void substitute(Node& root, const Environment& environment, Diagnostics& diagnostics) {
  Substitution(environment, diagnostics).visit(root);
}

}  // namespace weir
