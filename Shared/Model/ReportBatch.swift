/// Reports of one device in one record of `in/p`, at least one.
///
/// Each is evaluated in this order as if it were a record of its own at the same time. Events do
/// not depend on how reports are grouped.
public struct ReportBatch: PersonPayload {
    public let person: PersonID
    public let device: DeviceID
    public let reports: [Report]

    /// - Parameter reports: at least one, all of one device of one person
    public init(_ reports: [Report]) {
        guard let first = reports.first else { fatalError("a batch holds at least one report") }
        invariant(
            reports.allSatisfy { $0.person == first.person && $0.device == first.device },
            "all reports of a batch are of one device of one person")
        person = first.person
        device = first.device
        self.reports = reports
    }
}

extension EventBody {
    /// The body for one or several reports that are appended to `in/p` together.
    public init(reports: [Report]) {
        self = reports.count == 1 ? .inputReport(reports[0]) : .inputReports(ReportBatch(reports))
    }

    /// The reports that it contains, in order.
    public var reports: [Report] {
        switch self {
        case .inputReport(let report): [report]
        case .inputReports(let batch): batch.reports
        default: []
        }
    }

    /// The number of ``reports``.
    public var reportCount: Int {
        switch self {
        case .inputReport: 1
        case .inputReports(let batch): batch.reports.count
        default: 0
        }
    }
}
