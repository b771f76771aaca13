#include "runtime/job/progress.h"

#include <set>

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace weir {

namespace {

/// A split that is less behind the others does not hold back the watermark by much.
constexpr Duration kWorthSaying = Duration::seconds(10);

/// 1234567 as `1.2M`.
std::string short_number(double n) {
  if (n >= 1e9) return fmt::format("{:.1f}G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.1f}M", n / 1e6);
  if (n >= 1e4) return fmt::format("{:.0f}k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

double seconds(Duration d) { return static_cast<double>(d.micros) / 1e6; }

}  // namespace

ProgressReport::ProgressReport(const Graph& graph, const Execution& execution, const CommitAuthority& authority,
                               const Clock& clock, bool quiet)
    : graph_(graph),
      execution_(execution),
      authority_(authority),
      clock_(clock),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      together_(sources_together(graph)),
      started_(clock.steady()),
      before_at_(started_),
      checkpoint_at_(started_) {}

ProgressReport::~ProgressReport() { clear(); }

void ProgressReport::on_checkpoint(const Manifest& checkpoint) {
  checkpoint_ = checkpoint.id.value;
  checkpoint_at_ = clock_.steady();
  held_back_.clear();
  for (const std::vector<std::string>& names : together_) {
    std::vector<const ManifestSource*> sources;
    for (const ManifestSource& source : checkpoint.sources)
      if (std::find(names.begin(), names.end(), source.name) != names.end()) sources.push_back(&source);
    if (held_back_.empty()) held_back_ = held_back_by(sources, kWorthSaying);
  }
}

/// The sources with event time whose rows come together somewhere, each set once; every one alone comes first.
std::vector<std::vector<std::string>> ProgressReport::sources_together(const Graph& graph) {
  std::vector<std::vector<std::string>> found;
  std::vector<std::set<std::string>> upstream(graph.vertices.size());
  for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    if (vertex.event_time) upstream[v].insert(vertex.name);
    for (const Vertex::Input& in : vertex.inputs)
      upstream[v].insert(upstream[static_cast<std::size_t>(in.vertex)].begin(),
                         upstream[static_cast<std::size_t>(in.vertex)].end());
    const std::vector<std::string> names(upstream[v].begin(), upstream[v].end());
    if (!names.empty() && std::find(found.begin(), found.end(), names) == found.end()) found.push_back(names);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return found;
}

ProgressReport::Totals ProgressReport::totals() const {
  Totals t;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const VertexTotals n = execution_.totals(static_cast<int>(v));
    if (graph_.vertices[v].kind == ComponentKind::kSource) t.in += n.rows_out, t.lag += n.lag;
    if (graph_.vertices[v].kind == ComponentKind::kSink) t.out += n.rows_in - std::min(n.rows_in, n.errors);
    t.errors += n.errors;
    t.late += n.late;
    for (const auto& [name, count] : n.own) t.own[name] += count;
  }
  return t;
}

std::string ProgressReport::line(const Totals& now, double in_rate, double out_rate) const {
  std::string s = fmt::format("in {} ({}/s)  out {} ({}/s)", short_number(static_cast<double>(now.in)),
                              short_number(in_rate), short_number(static_cast<double>(now.out)), short_number(out_rate));
  s += fmt::format("  lag {}", short_number(static_cast<double>(now.lag)));
  s += fmt::format("  checkpoint {} {:.1f}s ago", checkpoint_, seconds(clock_.steady() - checkpoint_at_));
  if (const auto f = authority_.figures())
    s += fmt::format("  transactions {} committed, {} aborted, the last in {} ms  oldest uncommitted row {:.1f}s",
                     f->committed, f->aborted, f->last_commit.micros / 1000, seconds(f->uncommitted));
  if (now.errors) s += fmt::format("  errors {}", now.errors);
  if (now.late) s += fmt::format("  late {}", now.late);
  for (const auto& [name, count] : now.own)
    if (count) s += fmt::format("  {} {}", name, count);
  if (!held_back_.empty()) s += "  held back by " + held_back_;
  return s;
}

void ProgressReport::update() {
  if (quiet_) return;
  const Duration now = clock_.steady();
  const double passed = seconds(now - before_at_);
  if (passed < (terminal_ ? 0.5 : 10.0)) return;
  const Totals t = totals();
  // Rows that a sink turns out to refuse are taken off again.
  const double out = std::max(0.0, static_cast<double>(t.out) - static_cast<double>(before_.out));
  const std::string text = line(t, static_cast<double>(t.in - before_.in) / passed, out / passed);
  before_ = t;
  before_at_ = now;
  if (!terminal_) return spdlog::info("{}", text);
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressReport::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

/// `, 21716 late (per_minute 21000, visits 716)`; nothing where no row was.
std::string ProgressReport::late_text() const {
  std::uint64_t all = 0;
  std::string steps;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const std::uint64_t late = execution_.totals(static_cast<int>(v)).late;
    if (late == 0) continue;
    all += late;
    steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", graph_.vertices[v].name, late);
  }
  return all ? fmt::format(", {} late ({})", all, steps) : "";
}

std::string ProgressReport::summary() const {
  const Totals t = totals();
  const double passed = seconds(clock_.steady() - started_);
  std::string own;
  for (const auto& [name, count] : t.own)
    if (count) own += fmt::format(", {} {}", count, name);
  std::string s =
      fmt::format("{} rows in, {} rows out, {} errors{}{} in {:.1f} s", t.in, t.out, t.errors, late_text(), own, passed);
  if (const auto f = authority_.figures())
    s += fmt::format("; {} transactions committed, {} aborted", f->committed, f->aborted);
  return s;
}

}  // namespace weir
