import Geometry
import Model
import Shapes

/// The prepared shapes of one request.
///
/// A few quick ones are prepared when they are asked for. All others are missing at first: the
/// request is read once to find them, waits until the worker has prepared them, and is read again.
final class PreparedShapes {
    /// Why a shape is not there.
    enum Refusal: Error {
        case fault(GeometryProblem)
        /// It is prepared by then that the request is read again.
        case missing
        case overBudget
    }

    /// Whether the request is read to find its shapes: none of them is prepared.
    var isFirstReading: Bool { !isDirect && outcomes.isEmpty }
    /// Points of quick shapes that are prepared at once.
    private var quickPointsLeft: Int
    private let isDirect: Bool
    private var outcomes: [GeometryJob: GeometryOutcome]
    /// Each of them once, in the order of the request.
    private(set) var missing: [GeometryJob] = []
    private var isMissing: Set<GeometryJob> = []

    init(_ outcomes: [GeometryJob: GeometryOutcome] = [:]) {
        self.outcomes = outcomes
        quickPointsLeft = PreparedShapes.quickPointsMax
        isDirect = false
    }

    private init(isDirect: Bool) {
        outcomes = [:]
        quickPointsLeft = 0
        self.isDirect = isDirect
    }

    /// Prepares everything at once, however long that takes: for tools and tests.
    static var direct: PreparedShapes { PreparedShapes(isDirect: true) }

    /// Some milliseconds of work.
    static let quickPointsMax = 250

    func prepare(
        _ shape: ZoneShape, insetCentimetres: Int32
    ) throws(Refusal) -> PreparedGeometry {
        let job = GeometryJob(shape: shape, insetCentimetres: insetCentimetres)
        switch outcomes[job] ?? outcomeAtOnce(of: job) {
        case .prepared(let prepared): return prepared
        case .fault(let problem): throw .fault(problem)
        case .overBudget: throw .overBudget
        case nil:
            if isMissing.insert(job).inserted { missing.append(job) }
            throw .missing
        }
    }

    private func outcomeAtOnce(of job: GeometryJob) -> GeometryOutcome? {
        if isDirect { return job.run() }
        guard job.isQuick, job.pointCount <= quickPointsLeft else { return nil }
        quickPointsLeft -= job.pointCount
        return job.run()
    }
}
