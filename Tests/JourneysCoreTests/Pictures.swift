/// Pictures made byte by byte, with all that phones put into them.
enum Picture {
    /// A field of EXIF.
    enum Value {
        case short(UInt16)
        case text(String)
        case ratios([(UInt32, UInt32)])
    }

    static func number(_ value: some FixedWidthInteger, _ isLittle: Bool) -> [UInt8] {
        let bytes = withUnsafeBytes(of: isLittle ? value.littleEndian : value.bigEndian) {
            Array($0)
        }
        return bytes
    }

    /// A TIFF structure with the fields of the main, camera and satellite directories.
    static func exif(
        main: [(UInt16, Value)] = [], camera: [(UInt16, Value)] = [],
        satellite: [(UInt16, Value)] = [], isLittle: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
        bytes += number(UInt16(42), isLittle) + number(UInt32(8), isLittle)
        let sizes = [main, camera, satellite].map { 2 + $0.count * 12 + 4 }
        let cameraAt = UInt32(8 + sizes[0] + 24)
        let satelliteAt = cameraAt + UInt32(sizes[1])
        var heapAt = satelliteAt + UInt32(sizes[2])
        var heap: [UInt8] = []
        func directory(_ fields: [(UInt16, Value)], links: [(UInt16, UInt32)] = []) {
            bytes += number(UInt16(fields.count + links.count), isLittle)
            for (tag, value) in fields {
                let (type, count, data): (UInt16, Int, [UInt8]) =
                    switch value {
                    case .short(let value): (3, 1, number(value, isLittle) + [0, 0])
                    case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
                    case .ratios(let ratios):
                        (
                            5, ratios.count,
                            ratios.flatMap { number($0.0, isLittle) + number($0.1, isLittle) }
                        )
                    }
                bytes += number(tag, isLittle) + number(type, isLittle)
                bytes += number(UInt32(count), isLittle)
                if data.count <= 4 {
                    bytes += data + [UInt8](repeating: 0, count: 4 - data.count)
                } else {
                    bytes += number(heapAt, isLittle)
                    heapAt += UInt32(data.count)
                    heap += data
                }
            }
            for (tag, place) in links {
                bytes += number(tag, isLittle) + number(UInt16(4), isLittle)
                bytes += number(UInt32(1), isLittle) + number(place, isLittle)
            }
            bytes += [0, 0, 0, 0]
        }
        directory(main, links: [(0x8769, cameraAt), (0x8825, satelliteAt)])
        directory(camera)
        directory(satellite)
        return bytes + heap
    }

    /// Kuala Lumpur, 2026-11-20 10:20:30.5 UTC, camera on its side.
    static func exif(isLittle: Bool) -> [UInt8] {
        exif(
            main: [(0x0112, .short(6))],
            camera: [
                (0x9003, .text("2026:11:20 18:20:00")), (0x9011, .text("+08:00")),
            ],
            satellite: [
                (1, .text("N")), (2, .ratios([(3, 1), (8, 1), (2040, 100)])),
                (3, .text("E")), (4, .ratios([(101, 1), (41, 1), (1284, 100)])),
                (7, .ratios([(10, 1), (20, 1), (305, 10)])), (29, .text("2026:11:20")),
            ], isLittle: isLittle)
    }

    static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker] + number(UInt16(body.count + 2), false) + body
    }

    static let jfif = segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0])
    static let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
    /// 640 wide, 480 high; tables and coded picture stand for themselves.
    static let frame = segment(0xC0, [8, 0x01, 0xE0, 0x02, 0x80, 1, 1, 0x11, 0])
    static let scan =
        segment(0xC4, [0, 1, 2]) + segment(0xDA, [1, 1, 0, 0, 63, 0])
        + [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4, 0xFF]
        + segment(0xC4, [9])[1...] + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [5, 6] + [0xFF, 0xD9]

    static func jpeg(_ segments: [UInt8]) -> [UInt8] { [0xFF, 0xD8] + segments + frame + scan }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        number(UInt32(body.count), false) + Array(name.utf8) + body + [9, 9, 9, 9]
    }

    static let pngHead: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + chunk("IHDR", [0, 0, 1, 0, 0, 0, 0, 128, 8, 2, 0, 0, 0])

    static func png(_ chunks: [UInt8]) -> [UInt8] {
        pngHead + chunks + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
    }
}
