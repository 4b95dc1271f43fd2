import EvaluatorCore
import Glibc
import Hosting
import Model
import Runtime
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .evaluator,
        summary: "evaluates zone crossings, contact and emergencies",
        settings: [
            Setting(
                "JAGA_EVALUATOR_PORT", .integer(0...65_535), default: "0",
                help: "HTTP port for health and metrics; 0 = any free port, logged at start."),
            Setting(
                "JAGA_EVALUATOR_CHECKPOINT_SECONDS", .integer(1...600), default: "60",
                unit: "s", help: "Interval between checkpoints of a changed partition."),
        ],
        consumes: [.ingest: Partition.all.map(StreamName.input)],
        isDurable: false,
        portSetting: "JAGA_EVALUATOR_PORT",
        logic: logic)

    private static let logic =
        UInt16(
            EvaluatorLimits.logicVersions.lowerBound)...UInt16(
            EvaluatorLimits.logicVersions.upperBound)

    static func main() {
        exit(Launcher.run(definition) { EvaluatorService(host: $0) })
    }
}
