#include "tools/weir/wiring.h"

#include <unistd.h>

#include "connectors/console/console.h"
#include "connectors/file/file.h"
#include "connectors/formats/formats.h"
#include "connectors/generator/generator.h"
#include "connectors/kafka/kafka.h"
#include "operators/operators.h"

namespace weir {

void add_all_components(Components& components) {
  for (Declaration& d : format_declarations()) components.add_format(std::move(d));
  add_kafka(components);
  add_file(components, STDIN_FILENO);
  add_generator(components);
  add_console(components, STDOUT_FILENO);
  add_discard(components);
  add_operators(components);
  components.finish();
}

std::unique_ptr<CommitAuthority> authority_at(const PipelineFile& file, AttemptContext& attempt, const std::string& name) {
  return kafka_authority_at(file, attempt, name);
}

}  // namespace weir
