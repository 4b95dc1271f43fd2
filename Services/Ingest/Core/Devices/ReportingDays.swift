import Dialects
import Directory
import Hashing
import Model

extension DeviceReporting {
    /// How a device reports as of a row.
    ///
    /// - Parameter impairments: ascending
    init(_ row: DeviceRow, isFirst: Bool, impairments: [Impairment]) {
        self.init(
            person: row.person, device: row.device, isFirst: isFirst, app: row.client?.name,
            lastReport: row.newest?.time, impairments: impairments)
    }

    /// Days since 1970.
    private var day: Int64? { lastReport.map { $0.seconds / 86_400 } }

    /// Whether readiness depends on the difference: another day, app or impairment, not another
    /// time of the same day.
    func differs(from old: DeviceReporting?) -> Bool {
        guard let old else { return true }
        return day != old.day || app != old.app || impairments != old.impairments
            || person != old.person || isFirst != old.isFirst
    }

    /// The id of its event: the same for the same content.
    var id: EventID {
        Hash.derivedID(
            kind: .deviceReporting, person: person, subject: .id(device),
            cause: Hash.id(
                .number(day ?? -1), .text(app ?? ""), .number(isFirst ? 1 : 0),
                .text(impairments.map(\.rawValue).joined(separator: " ")),
                .number(lastReport?.microseconds ?? 0)))
    }
}
