import Geometry
import Model
import Shapes

/// The prepared shapes of one request.
///
/// A few quick ones are prepared immediately. The request is parsed once to collect the others,
/// waits until the worker has prepared them, and is parsed again.
final class PreparedShapes {
    /// Why a shape is not available.
    enum Unavailability: Error {
        case fault(GeometryProblem)
        /// The worker will prepare it before the request is parsed again.
        case missing
        case overBudget
    }

    /// Whether this is the first parse, with no shape prepared.
    var isFirstReading: Bool { !isDirect && outcomes.isEmpty }
    /// Vertices of quick shapes that may still be prepared immediately.
    private var quickPointsLeft: Int
    private let isDirect: Bool
    private var outcomes: [GeometryJob: GeometryOutcome]
    /// Distinct missing shapes, in the order of the request.
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

    /// Prepares every shape immediately, however long it takes. For tools and tests.
    static var direct: PreparedShapes { PreparedShapes(isDirect: true) }

    /// A few milliseconds of work.
    static let quickPointsMax = 250

    func prepare(
        _ shape: ZoneShape, insetCentimetres: Int32
    ) throws(Unavailability) -> PreparedGeometry {
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
