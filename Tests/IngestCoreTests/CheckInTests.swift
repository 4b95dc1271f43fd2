import Directory
import Hashing
import Model
import Testing

@testable import IngestCore

/// Check-ins by the API of somebody with PIN 4711 and duress PIN 0815.
@Suite struct `A check-in with a PIN` {
    private static func bench() -> Bench {
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815"].map { digits in
            Hex.encode(PINHash.of(digits, person: person(1), salt: salt))
        }
        let pin = PersonPIN(person: person(1), salt: Hex.encode(salt), hashes: hashes)
        return Bench(family + [.pinChanged(pin)])
    }

    private func checkIn(_ bench: inout Bench, _ pin: String?) -> Answer? {
        bench.handle(
            .checkIn(
                CheckInRequest(
                    request: 77, principal: .person(person(1)), person: person(1),
                    cause: ID128(high: 9, low: 9), pin: pin)))
        return bench.answers[77]
    }

    private func outcomes(_ bench: Bench) -> [SafetyAnswer.Outcome] {
        bench.sos.compactMap {
            if case .sosAnswered(let answer) = $0.body { answer.outcome } else { nil }
        }
    }

    private func covert(_ bench: Bench) -> [EmergencySignal] {
        bench.sos.compactMap {
            guard case .sosRaised(let signal) = $0.body else { return nil }
            return signal.underDuress == nil ? nil : signal
        }
    }

    @Test func `needs the PIN, and reaches the timer`() {
        var bench = Self.bench()
        #expect(checkIn(&bench, nil) == .pinNeeded)
        #expect(checkIn(&bench, "1111") == .wrongPIN)
        #expect(bench.bodies(.inputContact).isEmpty && outcomes(bench).isEmpty)
        #expect(checkIn(&bench, "4711") == .checkIn(at: bench.now))
        #expect(bench.bodies(.inputContact).count == 1 && outcomes(bench) == [.safe])
        #expect(covert(bench).isEmpty)
    }

    @Test func `has the same answer for the duress PIN, which opens an emergency`() {
        var truly = Self.bench()
        var underDuress = Self.bench()
        #expect(checkIn(&truly, "4711") == checkIn(&underDuress, "0815"))
        #expect(truly.bodies(.inputContact) == underDuress.bodies(.inputContact))
        #expect(outcomes(truly) == outcomes(underDuress))
        #expect(covert(truly).isEmpty && covert(underDuress).count == 1)
        // The person does not find it.
        if let signal = covert(underDuress).first {
            #expect(underDuress.read(signal.id, as: .person(person(1))) == .notFound)
        }
        // It goes on; a second one joins nothing new.
        _ = checkIn(&underDuress, "0815")
        #expect(covert(underDuress).count == 1)
    }

    @Test func `with five wrong PINs makes an open check-in an emergency at the timer`() {
        var bench = Self.bench()
        for number in 1...5 { #expect(checkIn(&bench, "000\(number)") == .wrongPIN) }
        #expect(outcomes(bench) == [.wrongPINs])
    }

    @Test func `ended at the timer under duress opens an emergency that evaluators do not know`() {
        var bench = Self.bench()
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 8, low: 1)), person: person(1), trigger: .watchExpired,
            raised: bench.now, received: bench.now, countdownEnds: bench.now,
            underDuress: EmergencyID(ID128(high: 8, low: 2)))
        bench.fire(.watchExpired(signal))
        #expect(bench.bodies(.inputSignal).isEmpty)
        #expect(bench.read(signal.id, as: .person(person(1))) == .notFound)
        guard case .emergency(let view)? = bench.read(signal.id, as: .person(person(3))) else {
            Issue.record("the guardian does not find it")
            return
        }
        #expect(view.state == .open)
    }
}
