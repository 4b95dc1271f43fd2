import Foundation
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Under chaos` {
        @Test func `notifies everything once while publications are lost`() async throws {
            try await hold(.publishesSuppressed)
        }

        @Test(
            .enabled("network namespaces are not permitted here: only root can make one") {
                await Namespace.isPossible()
            })
        func `notifies everything once after a black hole`() async throws {
            try await hold(.blackHole(seconds: 5))
        }

        private func hold(_ fault: Fault) async throws {
            let tally = try await fault.run()
            #expect(tally.isComplete, "\(tally)")
            #expect(tally.crossings > 50)
        }

        /// `make chaos MINUTES=…`: repeats every fault of the table.
        @Test(.enabled(if: Chaos.minutes > 0, "`make chaos` runs this"))
        func `holds every row for the requested time`() async throws {
            var chaos = Chaos()
            try await chaos.run()
            #expect(chaos.isHeld)
        }
    }
}

/// The table of faults on real processes.
struct Chaos {
    static let minutes =
        ProcessInfo.processInfo.environment["CHAOS_MINUTES"].flatMap { Double($0) } ?? 0
    /// Prefix of the names of the faults to run.
    private static let row = ProcessInfo.processInfo.environment["CHAOS_ROW"] ?? ""
    private(set) var isHeld = true

    mutating func run() async throws {
        let end = Date().addingTimeInterval(Chaos.minutes * 60)
        var faults = Fault.everywhere + Fault.alone
        if await Namespace.isPossible() {
            faults += Fault.withNamespaces
        } else {
            print("chaos: no network namespaces here: skipping black hole and new address")
        }
        faults = faults.filter { $0.description.hasPrefix(Chaos.row) }
        print(
            "| fault | crossings | missing | repeated | disordered | longest delay "
                + "| complete after |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        repeat {
            for fault in faults { await hold(fault) }
        } while Date() < end
    }

    private mutating func hold(_ fault: Fault) async {
        do {
            let tally = try await fault.run()
            print("| \(fault) | \(tally.row) |")
            isHeld = isHeld && tally.isComplete
        } catch {
            print("| \(fault) | failed: \(error) |")
            isHeld = false
        }
    }
}

extension Tally {
    /// Cells of the table.
    var row: String {
        let figures = [crossings, missing, repeated, disordered].map { "\($0)" }
        let times = [longestDelay, secondsToCompletion].map { String(format: "%.1f s", $0) }
        return (figures + times).joined(separator: " | ")
    }
}
