#include <cctype>

#include "runtime/data/type.h"

namespace weir {

namespace {

constexpr int kDeepest = 32;  // nested types; more is refused rather than risking the stack

/// Recursive descent over a type's text. The first error is kept; everything after it returns at once.
class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) {}

  bool whole(Field& field) {
    if (!typed(field, 0)) return false;
    if (!at_end()) return fail(at_, fmt::format("unexpected `{}` behind the type {}", rest(), field.type.name()));
    return true;
  }
  std::optional<TypeSyntaxError> error;

 private:
  bool fail(std::size_t offset, std::string text, std::string hint = {}) {
    if (!error) error = TypeSyntaxError{offset, std::move(text), std::move(hint)};
    return false;
  }
  void spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    spaces();
    return at_ == text_.size();
  }
  std::string_view rest() { return text_.substr(at_); }
  bool take(char c) {
    spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool expect(char c) {
    spaces();
    if (take(c)) return true;
    return fail(at_, at_ < text_.size() ? fmt::format("expected `{}`, found `{}`", c, text_[at_])
                                        : fmt::format("expected `{}` at the end of the type", c));
  }
  /// A word in double quotes, a quote in it written twice; empty if it does not end.
  std::string quoted_word() {
    const std::size_t start = at_++;
    std::string w;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") return ++at_, w;
      if (text_[at_] == '"') ++at_;
      w += text_[at_];
    }
    fail(start, "the quote is not closed");
    return {};
  }
  /// A plain or double-quoted word; empty at anything else.
  std::string word() {
    spaces();
    if (at_ < text_.size() && text_[at_] == '"') return quoted_word();
    std::string w;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (!(std::isalnum(c) || c == '_' || c >= 0x80)) break;
      w += text_[at_++];
    }
    return w;
  }
  static std::string lower(std::string s) {
    for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
  }
  bool keyword(std::string_view wanted) {
    const std::size_t before = at_;
    if (lower(word()) == wanted) return true;
    at_ = before;
    return false;
  }
  bool number(int& value) {
    spaces();
    const std::size_t start = at_;
    value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) && value < 1000)
      value = value * 10 + (text_[at_++] - '0');
    return at_ > start || fail(at_, "expected a number");
  }

  bool typed(Field& field, int depth) {
    if (depth > kDeepest) return fail(at_, fmt::format("types nested deeper than {}", kDeepest));
    if (!base_type(field.type, depth)) return false;
    field.nullable = true;
    spaces();
    const std::size_t before = at_;
    if (keyword("not")) {
      if (!keyword("null")) return fail(before, "expected `not null`");
      field.nullable = false;
    }
    return true;
  }

  bool base_type(Type& type, int depth) {
    spaces();
    const std::size_t start = at_;
    const std::string name = lower(word());
    if (name.empty())
      return fail(start, at_end() ? "expected a type" : fmt::format("expected a type, found `{}`", text_.substr(start, 1)));
    if (name == "boolean" || name == "bool") return type = Type::boolean(), true;
    if (name == "int" || name == "integer" || name == "int4") return type = Type::integer(), true;
    if (name == "bigint" || name == "int8") return type = Type::bigint(), true;
    if (name == "double") return keyword("precision"), type = Type::dbl(), true;
    if (name == "float8" || name == "float") return type = Type::dbl(), true;
    if (name == "varchar" || name == "text") return type = Type::varchar(), true;
    if (name == "character" && keyword("varying")) return type = Type::varchar(), true;
    if (name == "bytea") return type = Type::bytea(), true;
    if (name == "date") return type = Type::date(), true;
    if (name == "timestamptz") return type = Type::timestamp(), true;
    if (name == "timestamp") return zone() && (type = Type::timestamp(), true);
    if (name == "interval") return type = Type::interval(), true;
    if (name == "json") return type = Type::json(), true;
    if (name == "decimal" || name == "numeric" || name == "dec") return decimal(type, start);
    if (name == "array") return array(type, depth);
    if (name == "map") return map(type, depth, start);
    if (name == "row") return row(type, depth, start);
    return fail(start, fmt::format("unknown type `{}`", name), nearest(name));
  }

  /// `with time zone` or `without time zone` behind timestamp, or nothing: all are UTC.
  bool zone() {
    const std::size_t before = at_;
    if (!keyword("with") && !keyword("without")) return true;
    return (keyword("time") && keyword("zone")) || fail(before, "expected `with time zone` or `without time zone`");
  }

  bool decimal(Type& type, std::size_t start) {
    int precision = 38, scale = 0;
    if (!take('('))
      return fail(start, "decimal needs its digits", "write decimal(12,2): 12 digits, 2 of them behind the point");
    if (!number(precision)) return false;
    if (take(',') && !number(scale)) return false;
    if (!expect(')')) return false;
    if (precision < 1 || precision > 38) return fail(start, fmt::format("decimal has 1 to 38 digits, not {}", precision));
    if (scale > precision)
      return fail(start, fmt::format("decimal has at most as many decimal places as digits: {} > {}", scale, precision));
    return type = Type::decimal(precision, scale), true;
  }
  bool array(Type& type, int depth) {
    Field item{"item", Type::boolean()};
    if (!expect('(') || !typed(item, depth + 1) || !expect(')')) return false;
    return type = Type::array(item.type, item.nullable), true;
  }
  bool map(Type& type, int depth, std::size_t start) {
    Field key{"key", Type::boolean()}, value{"value", Type::boolean()};
    if (!expect('(') || !typed(key, depth + 1) || !expect(',') || !typed(value, depth + 1) || !expect(')')) return false;
    if (key.type.kind() != TypeKind::kVarchar)
      return fail(start, fmt::format("the key of a map is varchar, not {}", key.type.name()));
    return type = Type::map(value.type), true;
  }
  bool row(Type& type, int depth, std::size_t start) {
    std::vector<Field> fields;
    if (!expect('(')) return false;
    do {
      Field f{"", Type::boolean()};
      spaces();
      const std::size_t at = at_;
      f.name = word();
      if (f.name.empty()) return fail(at, "expected the name of a row's member");
      for (const Field& other : fields)
        if (other.name == f.name) return fail(at, fmt::format("the row has two members named `{}`", f.name));
      if (!typed(f, depth + 1)) return false;
      fields.push_back(std::move(f));
    } while (take(','));
    (void)start;
    if (!expect(')')) return false;
    return type = Type::row(std::move(fields)), true;
  }

  static std::string nearest(std::string_view name) {
    struct Other {
      std::string_view name, type;
    };
    constexpr Other kOthers[] = {{"string", "varchar"},
                                 {"str", "varchar"},
                                 {"char", "varchar"},
                                 {"long", "bigint"},
                                 {"float4", "double"},
                                 {"real", "double"},
                                 {"number", "double"},
                                 {"smallint", "int"},
                                 {"bytes", "bytea"},
                                 {"binary", "bytea"},
                                 {"datetime", "timestamp"},
                                 {"uuid", "varchar"},
                                 {"int2", "int"},
                                 {"jsonb", "json"},
                                 {"object", "json"},
                                 {"struct", "row(...)"},
                                 {"list", "array(...)"},
                                 {"varchr", "varchar"},
                                 {"bigit", "bigint"},
                                 {"int64", "bigint"},
                                 {"int32", "int"},
                                 {"bpchar", "varchar"},
                                 {"time", "varchar, or interval"},
                                 {"money", "decimal(18,2)"},
                                 {"float64", "double"},
                                 {"float32", "double"},
                                 {"blob", "bytea"},
                                 {"tinyint", "int"},
                                 {"uint64", "decimal(20,0)"},
                                 {"serial", "bigint"}};
    for (const Other& o : kOthers)
      if (o.name == name) return fmt::format("did you mean {}?", o.type);
    return "types are boolean, int, bigint, double, decimal(p,s), varchar, bytea, date, timestamp, interval, json, row(…), "
           "array(…), "
           "map(varchar, …)";
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<TypeSyntaxError> parse_type(std::string_view text, Field& field) {
  TypeParser parser(text);
  parser.whole(field);
  return parser.error;
}

}  // namespace weir
