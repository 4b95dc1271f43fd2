import Directory
import Parsing
import Runtime

/// What the operator is shown about membership.
struct MembershipStatus {
    let runner: CoreRunner
    let responses: Responses

    func write(to metrics: Metrics) {
        let counts = runner.core.directory.counts
        let entities = metrics.gauge(
            "jaga_membership_entities", "Entities in the directory.", "kind")
        for (kind, count) in [
            ("person", counts.people), ("device", counts.devices),
            ("credential", counts.credentials), ("circle", counts.circles), ("zone", counts.zones),
        ] {
            entities.set(Double(count), kind)
        }
        metrics.gauge("jaga_membership_awaited_answers", "Responses that wait for ingest.")
            .set(Double(responses.count))
    }

    var details: JSON {
        let counts = runner.core.directory.counts
        return [
            "people": .integer(Int64(counts.people)), "devices": .integer(Int64(counts.devices)),
            "circles": .integer(Int64(counts.circles)), "zones": .integer(Int64(counts.zones)),
        ]
    }
}
