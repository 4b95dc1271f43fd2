import Bus
import EvaluatorCore
import Hosting
import Model
import Parsing
import Runtime
import Wire

// Metrics, health and status of an evaluator.
extension EvaluatorService {
    func writeMetrics(_ metrics: Metrics) {
        counters.unreadable.set(Double(core.unreadableZones))
        counters.partitions.set(Double(host.bus.leases.count))
    }

    /// Stopped streams are reported by the bus.
    var healthProblems: [String] {
        let zones = core.unreadableZones
        let unreadable =
            zones == 0
            ? [] : ["\(zones) zones are not evaluated: their geometry has a newer format"]
        return partitionLeases.compactMap { $0?.problem } + unreadable
    }

    var statusDetails: JSON {
        .object([
            .init("member", .string(host.bus.member?.text ?? "")),
            .init("people", .integer(Int64(core.people))),
            .init("circles", .integer(Int64(core.circles))),
            .init("partitions", .array(host.bus.leases.map(status))),
        ])
    }

    private func status(of lease: Lease) -> JSON {
        let partition = lease.partition
        var members: [JSON.Member] = [
            .init("partition", .integer(Int64(partition.number))),
            .init("state", .string(lease.state.text)),
            .init("epoch", .integer(Int64(clamping: lease.epoch))),
        ]
        func add(_ name: String, _ position: Position?) {
            guard let position else { return }
            members.append(.init(name, .integer(Int64(clamping: position.sequence))))
        }
        add("input", host.bus.position(of: .input(partition)))
        add("output", host.bus.position(of: .events(partition)))
        if let state = core[partition] {
            members.append(.init("logic", .integer(Int64(state.logic))))
            members.append(.init("people", .integer(Int64(state.peopleCount))))
        }
        if let checkpoint = partitionLeases[Int(partition.number)]?.lastCheckpoint {
            members.append(
                .init(
                    "checkpoint",
                    [
                        "input": .integer(Int64(clamping: checkpoint.input.sequence)),
                        "at": .string(checkpoint.at.description),
                    ]))
        }
        return .object(members)
    }
}

extension Lease.State {
    fileprivate var text: String {
        switch self {
        case .restoring: "restoring"
        case .live: "live"
        case .failed: "failed"
        }
    }
}
