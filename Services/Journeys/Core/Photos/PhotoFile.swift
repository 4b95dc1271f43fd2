import Model

/// The file format of a photo.
public enum PhotoKind: Int, Sendable, CaseIterable {
    case jpeg = 1
    case png = 2

    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        }
    }
}

/// Why a photo is rejected.
public enum PhotoFlaw: String, Error, Sendable {
    case kind = "this is neither a JPEG nor a PNG file"
    case broken = "the photo is damaged or incomplete"
    case dimensions = "the photo is too large or has no size"
}

/// A photo without data about its owner: position, time, camera, thumbnails and comments are
/// removed; the image data is unchanged.
public struct PhotoFile: Hashable, Sendable {
    public let kind: PhotoKind
    public private(set) var width = 0
    public private(set) var height = 0
    /// As in EXIF: 1 = upright, 6 = rotate by 90° clockwise …
    public private(set) var orientation = 1
    /// When it was taken, if the photo contains the time and its time zone.
    public private(set) var time: Timestamp?
    public private(set) var position: Coordinate?
    /// The cleaned file.
    public private(set) var bytes: [UInt8] = []

    /// Maximum pixels along one side, and in total.
    public static let sideMax = 30_000
    public static let pixelsMax = 200_000_000

    public init(_ file: [UInt8]) throws(PhotoFlaw) {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            kind = .jpeg
            try readJPEG(file)
        } else if file.starts(with: PhotoFile.signature) {
            kind = .png
            try readPNG(file)
        } else {
            throw .kind
        }
        guard (1...PhotoFile.sideMax).contains(width), (1...PhotoFile.sideMax).contains(height),
            width * height <= PhotoFile.pixelsMax
        else { throw .dimensions }
    }

    private mutating func apply(_ facts: PhotoFacts?) {
        guard let facts else { return }
        orientation = facts.orientation
        time = facts.time
        position = facts.position
    }

    // MARK: - JPEG

    /// Copies segments up to the end of the image; data behind it is dropped.
    private mutating func readJPEG(_ file: [UInt8]) throws(PhotoFlaw) {
        bytes.reserveCapacity(file.count)
        bytes += file[..<2]
        var index = 2
        var hasScan = false
        while true {
            guard index + 1 < file.count, file[index] == 0xFF else { throw .broken }
            let marker = file[index + 1]
            switch marker {
            case 0xFF: index += 1
            case 0xD9:
                guard hasScan else { throw .broken }
                bytes += file[index..<index + 2]
                return
            case 0x01, 0xD0...0xD7:
                bytes += file[index..<index + 2]
                index += 2
            default:
                guard index + 3 < file.count else { throw .broken }
                let length = Int(file[index + 2]) << 8 | Int(file[index + 3])
                let end = index + 2 + length
                guard length >= 2, end <= file.count else { throw .broken }
                try copySegment(marker, file[index + 4..<end], whole: file[index..<end])
                index = end
                guard marker == 0xDA else { continue }
                guard width > 0 else { throw .broken }
                hasScan = true
                index = PhotoFile.endOfScan(file, from: end)
                bytes += file[end..<index]
            }
        }
    }

    private mutating func copySegment(
        _ marker: UInt8, _ body: ArraySlice<UInt8>, whole: ArraySlice<UInt8>
    ) throws(PhotoFlaw) {
        let start = body.startIndex
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
            guard body.count >= 6, width == 0 else { throw .broken }
            height = Int(body[start + 1]) << 8 | Int(body[start + 2])
            width = Int(body[start + 3]) << 8 | Int(body[start + 4])
        case 0xE0:
            // The JFIF header, unless it contains a thumbnail.
            guard body.count == 14, body.starts(with: Array("JFIF\0".utf8)) else { return }
        case 0xEE:
            // Colour transform: without it some images turn green.
            guard body.count == 12, body.starts(with: Array("Adobe".utf8)) else { return }
        case 0xE1:
            let head = Array("Exif\0\0".utf8)
            if body.starts(with: head) { apply(PhotoFacts(Array(body.dropFirst(head.count)))) }
            return
        case 0xE2:
            // Colour profile: without it images of most phones look pale.
            guard body.starts(with: Array("ICC_PROFILE\0".utf8)) else { return }
        case 0xE3...0xEF, 0xFE: return
        default: break
        }
        bytes += whole
    }

    /// Offset of the next marker after the image data; the end of the file if there is none.
    private static func endOfScan(_ file: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 1 < file.count {
            if file[index] == 0xFF {
                let next = file[index + 1]
                if next != 0, !(0xD0...0xD7).contains(next), next != 0xFF { return index }
            }
            index += 1
        }
        return file.count
    }

    // MARK: - PNG

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Chunks that affect how the image looks.
    private static let keptChunks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "sRGB", "iCCP", "cICP", "sBIT",
        "bKGD", "pHYs", "acTL", "fcTL", "fdAT",
    ]

    private mutating func readPNG(_ file: [UInt8]) throws(PhotoFlaw) {
        bytes.reserveCapacity(file.count)
        bytes += PhotoFile.signature
        var index = bytes.count
        var hasData = false
        while true {
            guard index + 12 <= file.count else { throw .broken }
            let length = file[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - index - 12 else { throw .broken }
            let name = String(decoding: file[index + 4..<index + 8], as: UTF8.self)
            let body = file[index + 8..<index + 8 + length]
            let end = index + 12 + length
            guard (name == "IHDR") == (width == 0 && index == 8) else { throw .broken }
            switch name {
            case "IHDR":
                guard length == 13 else { throw .broken }
                width = body.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                height = body.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
                guard width > 0 else { throw .dimensions }
            case "IDAT": hasData = true
            case "eXIf": apply(PhotoFacts(Array(body)))
            case "IEND":
                guard hasData else { throw .broken }
                bytes += file[index..<end]
                return
            default:
                // An upper-case first letter marks a chunk that is required to show the image.
                let isNeeded = file[index + 4] & 0x20 == 0
                if isNeeded, !PhotoFile.keptChunks.contains(name) { throw .broken }
            }
            if PhotoFile.keptChunks.contains(name) { bytes += file[index..<end] }
            index = end
        }
    }
}
