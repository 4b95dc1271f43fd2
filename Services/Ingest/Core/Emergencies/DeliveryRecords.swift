import Directory
import Model

/// Applies records of the notifier's stream.
enum DeliveryRecords {
    static func apply(
        _ event: Event, _ reports: Reports, _ viewer: PositionViewer,
        _ positions: inout Positions, _ emergencies: inout Emergencies,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        switch event.body {
        case .checkInReceived(let contact):
            sequencer.append(
                .inputContact(contact), of: contact.person, cause: event.id.raw,
                trace: event.trace, &turn)
        case .positionsRequested(let request): positions.answer(request, viewer, &turn)
        case .accessRecorded(let record):
            let isHidden = emergencies.signals.hidesLook(
                at: record.person, by: record.viewer, as: record.kind, in: turn.directory,
                at: turn.now)
            if !isHidden { turn.emit(.access(AccessRow(record))) }
        default: emergencies.applyDelivery(event, reports, &sequencer, &turn)
        }
    }
}
