import Directory
import Hashing
import Model

extension Emergencies {
    /// Records a check-in by the API, and publishes it for the timer. Asks for the PIN if one is
    /// set.
    ///
    /// The duress PIN is answered like the right one, and opens an emergency that its person never
    /// sees.
    mutating func recordCheckIn(
        _ request: CheckInRequest, _ contactStates: ContactStateMachine, _ reports: Reports,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let person = request.person
        guard
            turn.allows(
                request.principal, .answerAlarms, on: .person(person), for: request.request)
        else { return }
        switch pins.check(request.pin, of: person, in: turn.directory, at: turn.now) {
        case .right: break
        case .duress: raiseUnderDuress(request, reports, &turn)
        case .missing: return turn.answer(request.request, .pinNeeded)
        case .wait(let seconds):
            return turn.answer(request.request, .tooManyPINs(seconds: seconds))
        case .wrong: return turn.answer(request.request, .wrongPIN)
        case .tooMany:
            publish(.wrongPINs, request, &turn)
            return turn.answer(request.request, .wrongPIN)
        }
        publish(.safe, request, &turn)
        contactStates.recordCheckIn(request, &sequencer, &turn)
    }

    private func publish(
        _ outcome: SafetyAnswer.Outcome, _ request: CheckInRequest, _ turn: inout Turn<Effect>
    ) {
        let answer = SafetyAnswer(
            person: request.person, outcome: outcome, at: turn.now, trace: request.trace)
        let id = Hash.derivedID(kind: .sosAnswered, person: request.person, cause: request.cause)
        turn.raise(.sosAnswered(answer), id: id, trace: request.trace)
    }

    private mutating func raiseUnderDuress(
        _ request: CheckInRequest, _ reports: Reports, _ turn: inout Turn<Effect>
    ) {
        let person = request.person
        guard !signals.hasCovert(person) else { return }
        let device = reports.primaryDevice(of: person, in: turn.directory)
        func id(_ cause: String) -> EmergencyID {
            DerivedID.signal(
                .lostContact, person: person, device: nil,
                messageID: "\(cause), \(request.cause.text)")
        }
        let signal = EmergencySignal(
            id: id("under duress"), person: person, trigger: .lostContact, raised: turn.now,
            received: turn.now, countdownEnds: turn.now,
            fix: reports.lastFix(of: person, device: nil, in: turn.directory),
            battery: device.flatMap { reports.devices[$0]?.battery }, trace: request.trace,
            underDuress: id("check-in"))
        raiseCovert(signal, &turn)
        turn.raise(
            .sosRaised(signal),
            id: Hash.derivedID(kind: .sosRaised, person: person, cause: signal.id.raw),
            trace: signal.trace)
    }

    /// Opens the emergency of a signal under duress, or joins the one that goes on.
    mutating func raiseCovert(_ signal: EmergencySignal, _ turn: inout Turn<Effect>) {
        guard let origin = signal.underDuress else { return }
        _ = signals.raiseCovert(signal, from: origin, &turn)
    }
}
