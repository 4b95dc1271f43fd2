import Bus
import EvaluatorCore
import Hosting
import Model
import Parsing
import Runtime
import Wire

// What an evaluator shows of itself.
extension EvaluatorService {
    func writeMetrics(_ metrics: Metrics) {
        counts.unreadable.set(Double(core.unreadableZones))
        counts.partitions.set(Double(host.bus.holdings.count))
    }

    /// A stopped stream is the bus's to tell.
    var troubles: [String] {
        let zones = core.unreadableZones
        let unreadable =
            zones == 0 ? [] : ["\(zones) zones judge nobody: their geometry is of a newer format"]
        return tenures.compactMap { $0?.trouble } + unreadable
    }

    var statusDetails: JSON {
        .object([
            .init("member", .string(host.bus.member?.text ?? "")),
            .init("people", .integer(Int64(core.people))),
            .init("circles", .integer(Int64(core.circles))),
            .init("partitions", .array(host.bus.holdings.map(status))),
        ])
    }

    private func status(of holding: Holding) -> JSON {
        let partition = holding.partition
        var members: [JSON.Member] = [
            .init("partition", .integer(Int64(partition.number))),
            .init("state", .string(holding.state.text)),
            .init("epoch", .integer(Int64(clamping: holding.epoch))),
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
        if let kept = tenures[Int(partition.number)]?.kept {
            members.append(
                .init(
                    "checkpoint",
                    [
                        "input": .integer(Int64(clamping: kept.input.sequence)),
                        "at": .string(kept.at.description),
                    ]))
        }
        return .object(members)
    }
}

extension Holding.State {
    fileprivate var text: String {
        switch self {
        case .restoring: "restoring"
        case .live: "live"
        case .failed: "failed"
        }
    }
}
