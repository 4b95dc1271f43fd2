import Foundation
import TestSupport

extension Fault {
    /// An evaluator in its own namespace is disconnected; the other one gets its partitions.
    static func blackHole(seconds: Int) -> Fault {
        Fault(description: "black hole of \(seconds) s between ingest and an evaluator") {
            try await onOwnMachine(\.outside) { space, crowd in
                try await crowd.walk {
                    try await Task.sleep(for: .seconds(2))
                    try await space.cut()
                    try await Task.sleep(for: .seconds(seconds))
                    try await space.heal()
                    try await Task.sleep(for: .seconds(3))
                }
            }
        }
    }

    /// Ingest moves to another address.
    static let newAddress = Fault(description: "ingest moves to another address") {
        try await onOwnMachine({ _ in "ingest.test" }, isAlone: true) { space, crowd in
            try await crowd.walk {
                try await Task.sleep(for: .seconds(2))
                try await space.moveOutside()
                try space.name("ingest.test", space.otherOutside)
                try await Task.sleep(for: .seconds(8))
            }
        }
    }

    /// - Parameters:
    ///   - host: address of ingest for the evaluator in the namespace
    ///   - isAlone: there is no other evaluator
    private static func onOwnMachine(
        _ host: @Sendable (Namespace) -> String, isAlone: Bool = false,
        _ body: (Namespace, Crowd) async throws -> Void
    ) async throws -> Tally {
        let space = try await Namespace()
        try space.name("ingest.test", space.outside)
        do {
            let result = try await tally(
                settings: ["JAGA_BIND": "0.0.0.0"],
                arguments: isAlone ? ["--without", "evaluator"] : ["--scale", "evaluator=1"]
            ) { suite, crowd in
                let far = StandaloneService(
                    .evaluator, of: suite, in: space,
                    environment: [
                        "JAGA_HOST_INGEST": host(space), "JAGA_BIND": "127.0.0.1",
                        "JAGA_EVALUATOR_PORT": "\(suite.portBase + 3)",
                    ])
                try far.start()
                let isOwner = try await eventually {
                    _ = suite.log
                    return try crowd.owners() == (isAlone ? 1 : 2)
                }
                guard isOwner else { throw TestFailure("it owns nothing:\n\(far.log)") }
                try await body(space, crowd)
                _ = try await crowd.complete()
                await far.kill()
            }
            await space.remove()
            return result
        } catch {
            await space.remove()
            throw error
        }
    }
}
