import Directory
import Model

/// Tags and double presses by which phones call for help.
struct CallTags {
    /// Devices whose last message had a tag that calls for help, and their people.
    private var tagged: [DeviceID: PersonID]
    /// Devices tagged by a message with a replaced secret. It may not come from the phone, whose
    /// own tag is still a call. Not stored: a restart forgets replaced secrets, too.
    private var formerlyTagged: Set<DeviceID> = []
    /// When the device log last recorded a repeated tag. Not stored: recorded again after a
    /// restart.
    private var tagsLogged: [DeviceID: Timestamp] = [:]
    /// Last press of "report", for devices where a double press counts.
    private var presses: [DeviceID: Timestamp] = [:]

    init(tagged: [DeviceID: PersonID]) { self.tagged = tagged }

    /// Records whether a device has a tag that calls for help.
    ///
    /// The app keeps a tag until its user removes it and sends it with every message. It is a call
    /// when it appears, in the order of the messages.
    ///
    /// - Returns: whether the device was tagged before
    mutating func update(of batch: IncomingBatch, _ turn: inout Turn<Effect>) -> Bool {
        let device = batch.device
        let wasTagged = tagged[device] == batch.person
        guard !batch.isFromFormerSecret else {
            let wasFormerlyTagged = formerlyTagged.contains(device)
            if batch.status.isTagged == true { formerlyTagged.insert(device) }
            if batch.status.isTagged == false { formerlyTagged.remove(device) }
            return wasTagged || wasFormerlyTagged
        }
        guard let isTagged = batch.status.isTagged, isTagged != wasTagged else {
            return wasTagged
        }
        tagged[device] = isTagged ? batch.person : nil
        tagsLogged[device] = nil
        turn.emit(
            .device(isTagged ? .saveTagged(device, batch.person) : .removeTagged(device)))
        return wasTagged
    }

    func isTagged(_ device: DeviceID) -> Bool { tagged[device] != nil }

    /// Whether the device log should record a repeated tag. At most once per fold interval, as it
    /// comes with every message.
    mutating func shouldLog(of device: DeviceID, at now: Timestamp) -> Bool {
        if let last = tagsLogged[device], now - last < .seconds(Limits.deviceLogFoldSeconds) {
            return false
        }
        tagsLogged[device] = now
        return true
    }

    /// Whether this press is the second within `limit` seconds. A third press starts over; a
    /// repeated message is no press.
    mutating func isDoublePressed(
        _ pressed: Timestamp, on device: DeviceID, withinSeconds limit: Int64
    ) -> Bool {
        guard let last = presses[device] else {
            presses[device] = pressed
            return false
        }
        guard pressed > last else { return false }
        let isTwice = pressed - last <= .seconds(limit)
        presses[device] = isTwice ? nil : pressed
        return isTwice
    }

    mutating func forget(_ device: DeviceID) {
        presses[device] = nil
        tagged[device] = nil
        tagsLogged[device] = nil
        formerlyTagged.remove(device)
    }

    mutating func forget(_ person: PersonID) { tagged = tagged.filter { $0.value != person } }
}
