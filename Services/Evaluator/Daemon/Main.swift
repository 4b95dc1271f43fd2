import Glibc
import Hosting
import Model
import Runtime
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .evaluator,
        summary: "Decides who crossed which zone, and the life of emergencies.",
        settings: [
            Setting(
                "JAGA_EVALUATOR_PORT", .integer(0...65_535), default: "0",
                help: "HTTP port of health and metrics; 0 = any free one, told at start.")
        ],
        consumes: [.ingest: Partition.all.map(StreamName.input)],
        isDurable: false,
        portSetting: "JAGA_EVALUATOR_PORT")

    static func main() {
        exit(Host.run(definition) { EvaluatorService(host: $0) })
    }
}
