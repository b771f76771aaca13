#include "connectors/formats/formats.h"

#include "runtime/api/component.h"

namespace weir {

namespace {

/// In the order of TimestampFormat.
constexpr const char* kTimestampForms[] = {"auto",         "iso",          "sql",        "epoch_seconds",
                                           "epoch_millis", "epoch_micros", "epoch_nanos"};

const Declaration kJson{
    .kind = ComponentKind::kFormat,
    .name = "json",
    .summary = "One JSON object a record.",
    .caveats =
        {"Names of members are case-sensitive; of several members with one name the last counts; a member `null` is a null.",
         "Numbers may be written as text; a fraction does not go into int and bigint, and a number that its type cannot "
         "hold is an error, "
         "but for decimals, which are rounded to their scale.",
         "Anything but text goes into varchar as it is written, objects and arrays without white space.",
         "With `timestamp: auto` a number, also one in a text, is taken by its size: below 1e11 as epoch seconds, below "
         "1e14 "
         "as milliseconds, below 1e17 as microseconds, else as nanoseconds. Texts are read as casts read them. Numbers "
         "behind "
         "the year 9999 are errors of their row in all forms; digits behind the microsecond are rounded.",
         "Anything but white space behind the object is an error, and so is a record of more than 64 MiB; a byte-order mark "
         "is "
         "passed over.",
         "Written compactly, columns in order; timestamps in UTC, NaN and infinities as text, bytea as base64.",
         "Years are written as ISO 8601 counts them: 0000 is 1 BC, -0043 is 44 BC; a window that begins before year 1 shows "
         "such a year."},
    .fields =
        {field::boolean("ignore_unknown")
             .defaults_to("true")
             .doc("Reading: whether members that are no columns are passed over; false makes them an error of the row."),
         field::enumeration("missing", {"null_value", "fail"})
             .defaults_to("null_value")
             .doc("Reading: what a missing member is, also in rows within: a null, or an error of the row."),
         field::enumeration("timestamp", {std::begin(kTimestampForms), std::end(kTimestampForms)})
             .defaults_to("auto")
             .doc("How points in time are written. auto reads any of the others and writes iso: 2024-01-01T00:00:00.123Z; "
                  "sql is "
                  "2024-01-01 00:00:00.123; the others are numbers."),
         field::boolean("numbers_as_text").not_supported_yet(),
         field::enumeration("bytes", {"base64", "hex"}).not_supported_yet(),
         field::enumeration("names", {"exact", "ignore_case"}).not_supported_yet(),
         field::enumeration("duplicate_keys", {"last", "first", "fail"}).not_supported_yet(),
         field::enumeration("nan", {"fail", "accept"}).not_supported_yet(), field::integer("max_depth").not_supported_yet(),
         field::enumeration("top_level", {"object", "array", "lines"}).not_supported_yet(),
         field::enumeration("null_fields", {"keep", "omit"}).not_supported_yet(),
         field::enumeration("decimals", {"number", "text"}).not_supported_yet(), field::any("registry").not_supported_yet(),
         field::any("subject").not_supported_yet()},
    .examples = {"format: json", "format: { type: json, missing: fail }"}};

const Declaration kCsv{
    .kind = ComponentKind::kFormat,
    .name = "csv",
    .summary = "Fields with a delimiter between them (RFC 4180).",
    .caveats =
        {"Reading needs a schema; without a header the fields are its columns in order.",
         "A field in double quotes may hold delimiters, line breaks and quotes (written twice), and is never null.",
         "A quote within a field without quotes makes its row an error; the next line is read as usual. So does a quote "
         "that is not closed within 64 MiB or before the end of the file, at its line and column; reading goes on behind "
         "that line.",
         "A byte-order mark is passed over at the beginning of a file, and text everywhere else.",
         "Values are read and written as PostgreSQL prints them; json, row, array and map as JSON."},
    .fields =
        {field::boolean("header").defaults_to("false").doc("Whether the first record of each file names its columns: read "
                                                           "by name then, written into new files. Files only."),
         field::text("delimiter")
             .defaults_to("\",\"")
             .doc("What stands between fields: one ASCII character, no quote and no line break; tab is one, too.")
             .example("\"\\t\""),
         field::text("null_text")
             .defaults_to("\"\"")
             .doc(
                 "What stands for null, outside of quotes. Needed to write a single column that may be null into a file: an "
                 "empty line is no row.")
             .example("NULL")},
    .examples = {"format: { type: csv, header: true, delimiter: \";\" }"}};

const Declaration kRaw{
    .kind = ComponentKind::kFormat,
    .name = "raw",
    .summary = "The bytes of a record as one column.",
    .caveats =
        {"Reading, the column is `value bytea` unless a schema says `value: varchar`, which must be UTF-8.",
         "Writing takes one column, bytea or varchar; a null is a null record.",
         "A file and the console have one record a line: a value with a line break is an error of its row there, and a "
         "null is an empty line, which reads back as an empty value.",
         "Lines are taken as they are: of CR LF the carriage return stays (btrim(value, E'\\r') takes it off), and so "
         "does a byte-order mark."},
    .fields = {},
    .examples = {"format: raw"}};

JsonOptions json_options(const Config& config) {
  JsonOptions options;
  options.ignore_unknown = config.boolean("ignore_unknown");
  options.missing_fails = config.text("missing") == "fail";
  const std::string& form = config.text("timestamp");
  for (int i = 0; i < static_cast<int>(std::size(kTimestampForms)); ++i)
    if (form == kTimestampForms[i]) options.timestamp = static_cast<TimestampFormat>(i);
  return options;
}

/// Nothing when the delimiter is none, which is reported.
std::optional<CsvOptions> csv_options(const Config& config, Diagnostics& diagnostics) {
  CsvOptions options;
  options.header = config.boolean("header");
  options.null_text = config.text("null_text");
  const std::string& delimiter = config.text("delimiter");
  const bool tab = delimiter == "\\t" || delimiter == "tab";
  if (!tab && (delimiter.size() != 1 || delimiter.find_first_of("\"\r\n") != std::string::npos)) {
    diagnostics.error(config.location("delimiter"),
                      fmt::format("the delimiter of csv is one ASCII character (one byte), not '{}'", delimiter),
                      "write delimiter: \";\" or delimiter: tab");
    return std::nullopt;
  }
  options.delimiter = tab ? '\t' : delimiter[0];
  if (options.null_text.find_first_of(std::string("\"\r\n") + options.delimiter) != std::string::npos) {
    diagnostics.error(config.location("null_text"),
                      "null_text stands for null outside of quotes: it cannot hold the delimiter, a quote or a line break",
                      "write null_text: NULL");
    return std::nullopt;
  }
  return options;
}

/// Reports a problem with the format as a whole and returns nothing.
std::nullopt_t refuse(const Component& c, Diagnostics& diagnostics, std::string text, std::string hint) {
  diagnostics.error(c.format->location, std::move(text), std::move(hint));
  return std::nullopt;
}

std::optional<SourceFormat> bind_raw_source(const Component& source, std::optional<std::vector<Field>> schema,
                                            Diagnostics& diagnostics) {
  if (!schema) schema = {{"value", Type::bytea()}};
  const TypeKind kind = schema->front().type.kind();
  if (schema->size() != 1 || (kind != TypeKind::kBytea && kind != TypeKind::kVarchar)) {
    diagnostics.error(source.config.location("schema"), "format raw has one column, bytea or varchar",
                      "write schema: { value: varchar }");
    return std::nullopt;
  }
  return SourceFormat{*schema, raw_decoders(schema->front()), RecordFraming::kLines};
}

}  // namespace

std::vector<Declaration> format_declarations() { return {kJson, kCsv, kRaw}; }

std::optional<SourceFormat> bind_source_format(const Component& source, Diagnostics& diagnostics) {
  auto schema = read_schema(source.config, diagnostics);
  const FormatConfig& format = *source.format;
  std::optional<CsvOptions> csv;
  if (format.type == "csv" && format.declaration && format.config.usable()) csv = csv_options(format.config, diagnostics);
  if (!schema && source.config.has("schema")) return std::nullopt;
  if (schema && schema->empty()) {
    diagnostics.error(source.config.location("schema"), "a schema has at least one column",
                      "write schema: { id: bigint }, or leave it out");
    return std::nullopt;
  }
  if (!format.declaration || !format.config.usable()) return std::nullopt;
  if (format.type == "raw") return bind_raw_source(source, std::move(schema), diagnostics);
  if (format.type == "csv") {
    if (!schema)
      return refuse(source, diagnostics, "format csv needs a schema", "write schema: { id: bigint, name: varchar }");
    if (!csv) return std::nullopt;
    return SourceFormat{*schema, csv_decoders(Schema(*schema), *csv), {RecordFraming::kCsv, csv->delimiter}};
  }
  if (format.type != "json")
    return refuse(source, diagnostics, fmt::format("format {} is not supported yet", format.type), "");
  JsonOptions options = json_options(format.config);
  options.whole_document = !schema;
  if (!schema) schema = {{"value", Type::json()}};
  return SourceFormat{*schema, json_decoders(Schema(*schema), options), RecordFraming::kNonEmptyLines};
}

void refuse_header(const Component& component, Diagnostics& diagnostics) {
  const auto& format = component.format;
  if (!format || format->type != "csv" || !format->declaration || !format->config.ok() || !format->config.boolean("header"))
    return;
  diagnostics.error(format->config.location("header"), "a header is the first line of a file, and records have none",
                    "leave header out: the fields are the columns in order");
}

std::shared_ptr<const EncoderFactory> bind_sink_format(const Component& sink, const Schema& input, std::vector<int> columns,
                                                       Diagnostics& diagnostics) {
  const FormatConfig& format = *sink.format;
  if (!format.declaration || !format.config.usable()) return nullptr;
  if (format.type == "json") return json_encoders(input, std::move(columns), json_options(format.config));
  if (format.type == "csv") {
    const auto options = csv_options(format.config, diagnostics);
    return options ? csv_encoders(input, std::move(columns), *options) : nullptr;
  }
  if (format.type != "raw")
    return refuse(sink, diagnostics, fmt::format("format {} is not supported yet", format.type), ""), nullptr;
  const bool fits = columns.size() == 1 && (input[columns[0]].type.kind() == TypeKind::kBytea ||
                                            input[columns[0]].type.kind() == TypeKind::kVarchar);
  if (!fits) {
    std::string found;
    for (int c : columns) found += fmt::format("{}{} {}", found.empty() ? "" : ", ", input[c].name, input[c].type.name());
    refuse(sink, diagnostics, fmt::format("format raw writes one column, bytea or varchar, not {}", found),
           "choose it with value: [COLUMN]");
    return nullptr;
  }
  return raw_encoders(columns[0]);
}

}  // namespace weir
