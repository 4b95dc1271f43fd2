/// Reports of one device that enter `in/p` in one record, at least one.
///
/// Each is decided as if it had come in a record of its own at the same time, in this order; no
/// event tells whether it did.
public struct ReportBatch: Hashable, Sendable, Codable {
    public let person: PersonID
    public let device: DeviceID
    public let reports: [Report]

    /// - Parameter reports: at least one, all of one device of one person
    public init(_ reports: [Report]) {
        guard let first = reports.first else { fatalError("a batch holds at least one report") }
        invariant(
            reports.allSatisfy { $0.person == first.person && $0.device == first.device },
            "a batch is of one device of one person")
        person = first.person
        device = first.device
        self.reports = reports
    }
}

extension EventBody {
    /// Reports that enter `in/p` together, as one or as several.
    public init(reports: [Report]) {
        self = reports.count == 1 ? .inputReport(reports[0]) : .inputReports(ReportBatch(reports))
    }

    /// The reports that it carries into `in/p`, in order.
    public var reports: [Report] {
        switch self {
        case .inputReport(let report): [report]
        case .inputReports(let batch): batch.reports
        default: []
        }
    }

    /// How many ``reports`` there are.
    public var reportCount: Int {
        switch self {
        case .inputReport: 1
        case .inputReports(let batch): batch.reports.count
        default: 0
        }
    }
}
