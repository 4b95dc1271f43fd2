import Geometry
import Model
import Parsing
import Runtime
import Shapes

/// A shape to check and prepare.
struct GeometryJob: Hashable, Sendable {
    var shape: ZoneShape
    var insetCentimetres: Int32

    /// Vertices of the shape.
    var pointCount: Int {
        switch shape {
        case .circle: 1
        case .corridor(let line, _): line.count
        case .polygons(let polygons):
            polygons.reduce(0) { $0 + $1.outer.count + $1.holes.reduce(0) { $0 + $1.count } }
        }
    }

    /// Whether preparing takes microseconds per vertex. Corridors and insets use GEOS, which may
    /// take a second.
    var isQuick: Bool {
        switch shape {
        case .circle: true
        case .polygons: insetCentimetres == 0
        case .corridor: false
        }
    }

    func run() -> GeometryOutcome {
        do {
            return .prepared(try prepareChecked(shape, insetCentimetres: insetCentimetres))
        } catch {
            return .fault(error)
        }
    }
}

/// Result of a ``GeometryJob``.
enum GeometryOutcome: Hashable, Sendable {
    case prepared(PreparedGeometry)
    case fault(GeometryProblem)
    /// The request exceeded its CPU time.
    case overBudget
}

/// Codec of messages between membership and its geometry worker: 64-bit numbers, little endian. A
/// fault is JSON after the number 1.
enum GeometryCodec {
    static func encode(_ job: GeometryJob) -> [UInt8] {
        var numbers = Numbers()
        numbers.append(job.insetCentimetres)
        switch job.shape {
        case .circle(let center, let radius):
            numbers.append(0)
            numbers.append(center)
            numbers.append(radius)
        case .polygons(let polygons):
            numbers.append(1)
            numbers.append(polygons) { numbers, polygon in
                numbers.append([polygon.outer] + polygon.holes) { $0.append($1) { $0.append($1) } }
            }
        case .corridor(let line, let halfWidth):
            numbers.append(2)
            numbers.append(line) { $0.append($1) }
            numbers.append(halfWidth)
        }
        return numbers.bytes
    }

    static func decodeJob(_ bytes: [UInt8]) -> GeometryJob? {
        var numbers = NumberReader(bytes)
        let inset = numbers.int32()
        let shape: ZoneShape
        switch numbers.next() {
        case 0: shape = .circle(center: numbers.coordinate(), radiusCentimetres: numbers.int32())
        case 1:
            let polygons = numbers.list { numbers in
                let rings = numbers.list { numbers in numbers.list { $0.coordinate() } }
                return Polygon(outer: rings.first ?? [], holes: Array(rings.dropFirst()))
            }
            shape = .polygons(polygons)
        default:
            let line = numbers.list { $0.coordinate() }
            shape = .corridor(line: line, halfWidthCentimetres: numbers.int32())
        }
        return numbers.isValid ? GeometryJob(shape: shape, insetCentimetres: inset) : nil
    }

    static func encode(_ outcome: GeometryOutcome) -> [UInt8] {
        var numbers = Numbers()
        switch outcome {
        case .prepared(let prepared):
            numbers.append(0)
            numbers.append(prepared.origin)
            numbers.append(prepared.coefficients) { $0.append($1) }
            numbers.append(prepared.radiusCentimetres)
            numbers.append(prepared.polygons) { numbers, polygon in
                numbers.append(polygon) { numbers, ring in
                    numbers.append(ring) { numbers, vertex in
                        numbers.append(vertex.longitudeE7)
                        numbers.append(vertex.latitudeE7)
                    }
                }
            }
            numbers.append(prepared.inradiusCentimetres)
            numbers.append(prepared.reachCentimetres)
        case .fault(let problem):
            guard let json = try? JSON.encode(problem) else { return encode(.overBudget) }
            numbers.append(1)
            numbers.bytes += json.serialized()
        case .overBudget: numbers.append(2)
        }
        return numbers.bytes
    }

    /// Returns nil if the bytes are invalid.
    static func decodeOutcome(_ bytes: [UInt8]) -> GeometryOutcome? {
        var numbers = NumberReader(bytes)
        switch numbers.next() {
        case 0:
            let prepared = PreparedGeometry(
                origin: numbers.coordinate(), coefficients: numbers.list { $0.next() },
                radiusCentimetres: numbers.int32(),
                polygons: numbers.list { numbers in
                    numbers.list { numbers in
                        numbers.list { numbers in
                            VertexOffset(
                                longitudeE7: numbers.int32(), latitudeE7: numbers.int32())
                        }
                    }
                }, inradiusCentimetres: numbers.int32(), reachCentimetres: numbers.int32())
            return numbers.isValid ? .prepared(prepared) : nil
        case 1:
            let problem = try? JSON.parse(numbers.rest).decode(GeometryProblem.self)
            return problem.map { .fault($0) }
        default: return nil
        }
    }

    /// Main function of the worker.
    static func serve() {
        PrivateProcess.begin()
        WorkerProcess.serve(memoryBytes: 2 << 30) { message in
            encode(decodeJob(message)?.run() ?? .overBudget)
        }
    }
}

/// Appends numbers to a byte buffer.
private struct Numbers {
    var bytes: [UInt8] = []

    mutating func append(_ value: some BinaryInteger) {
        withUnsafeBytes(of: Int64(value).littleEndian) { bytes += $0 }
    }

    mutating func append(_ value: Coordinate) {
        append(value.latitudeE7)
        append(value.longitudeE7)
    }

    mutating func append<Element>(
        _ values: [Element], _ each: (inout Numbers, Element) -> Void
    ) {
        append(values.count)
        for value in values { each(&self, value) }
    }
}

/// Reads ``Numbers``. After the end, or after an invalid count, every read returns 0 and
/// ``isValid`` is false.
private struct NumberReader {
    private let bytes: [UInt8]
    private var index = 0
    private(set) var isValid = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var rest: [UInt8] { Array(bytes[index...]) }

    mutating func next() -> Int64 {
        guard isValid, index + 8 <= bytes.count else {
            isValid = false
            return 0
        }
        defer { index += 8 }
        return bytes.withUnsafeBytes {
            Int64(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: Int64.self))
        }
    }

    mutating func int32() -> Int32 {
        guard let value = Int32(exactly: next()) else {
            isValid = false
            return 0
        }
        return value
    }

    mutating func coordinate() -> Coordinate {
        Coordinate(latitudeE7: int32(), longitudeE7: int32())
    }

    mutating func list<Element>(_ each: (inout NumberReader) -> Element) -> [Element] {
        let count = next()
        // Every element has at least one number.
        guard count >= 0, count <= Int64(bytes.count / 8) else {
            isValid = false
            return []
        }
        var values: [Element] = []
        for _ in 0..<count where isValid { values.append(each(&self)) }
        return values
    }
}
