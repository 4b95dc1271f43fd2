import Model
import TestSupport
import Testing

@testable import JourneysCore

@Suite struct `A photo` {
    private let secret = Array("Secret of Anna".utf8)

    private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    @Test func `has position, time and orientation`() throws {
        for isLittle in [true, false] {
            let exif = Picture.exif(isLittle: isLittle)
            let files = [
                Picture.jpeg(Picture.segment(0xE1, Array("Exif\0\0".utf8) + exif)),
                Picture.png(Picture.chunk("eXIf", exif)),
            ]
            for file in files {
                let photo = try PhotoFile(file)
                #expect(photo.orientation == 6)
                #expect(photo.time == Timestamp("2026-11-20T10:20:30.500Z"))
                #expect(photo.position == Coordinate(latitude: 3.139, longitude: 101.6869))
            }
        }
    }

    @Test func `has negative degrees in the south and west`() throws {
        let exif = Picture.exif(satellite: [
            (1, .text("S")), (2, .ratios([(33, 1), (30, 1), (0, 1)])), (3, .text("W")),
            (4, .ratios([(70, 1), (15, 1), (0, 1)])),
        ])
        let facts = try #require(PhotoFacts(exif))
        #expect(facts.position == Coordinate(latitude: -33.5, longitude: -70.25))
        #expect(facts.time == nil && facts.orientation == 1)
    }

    @Test func `has a time only if the camera says its zone`() throws {
        let text = Picture.Value.text("2026:11:20 18:20:00")
        let zoned = Picture.exif(camera: [(0x9003, text), (0x9011, .text("+08:00"))])
        #expect(PhotoFacts(zoned)?.time == Timestamp("2026-11-20T10:20:00.000Z"))
        #expect(PhotoFacts(Picture.exif(camera: [(0x9003, text)]))?.time == nil)
        for wrong in ["0000:00:00 00:00:00", "2026:11:20", "x", ""] {
            let exif = Picture.exif(camera: [(0x9003, .text(wrong)), (0x9011, .text("+08:00"))])
            #expect(PhotoFacts(exif)?.time == nil)
        }
    }

    @Test func `has no position out of range`() throws {
        for degrees in [(91, 1), (1, 0), (UInt32.max, 1)] as [(UInt32, UInt32)] {
            let exif = Picture.exif(satellite: [
                (1, .text("N")), (2, .ratios([degrees, (0, 1), (0, 1)])), (3, .text("E")),
                (4, .ratios([(1, 1), (0, 1), (0, 1)])),
            ])
            #expect(PhotoFacts(exif)?.position == nil)
        }
    }

    @Test func `as JPEG keeps the image without metadata`() throws {
        let metadata =
            (0xE1...0xEF).flatMap { Picture.segment(UInt8($0), secret) }
            + Picture.segment(0xFE, secret)
            + Picture.segment(0xE0, Array("JFXX\0".utf8) + secret)
        let file = Picture.jpeg(Picture.jfif + metadata + Picture.adobe) + secret
        let photo = try PhotoFile(file)
        #expect(photo.bytes == Picture.jpeg(Picture.jfif + Picture.adobe))
        #expect(!holds(photo.bytes, secret))
        #expect(photo.width == 640 && photo.height == 480 && photo.kind == .jpeg)
        #expect(try PhotoFile(photo.bytes).bytes == photo.bytes)
    }

    @Test func `as JPEG keeps its colour profile in all its parts`() throws {
        let profile = (1...2).flatMap { part in
            Picture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [part, 2] + [1, 2, 3])
        }
        let others = Picture.segment(0xE2, Array("MPF\0".utf8) + secret)
        let photo = try PhotoFile(Picture.jpeg(Picture.jfif + others + profile))
        #expect(photo.bytes == Picture.jpeg(Picture.jfif + profile))
    }

    @Test func `as PNG keeps the image without metadata`() throws {
        let looks = ["PLTE", "gAMA", "iCCP", "tRNS"].flatMap { Picture.chunk($0, [1, 2]) }
        let metadata = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME", "prVt"]
            .flatMap { Picture.chunk($0, secret) }
        let photo = try PhotoFile(Picture.png(metadata + looks) + secret)
        #expect(photo.bytes == Picture.png(looks))
        #expect(photo.width == 256 && photo.height == 128 && photo.kind == .png)
        #expect(try PhotoFile(photo.bytes).bytes == photo.bytes)
    }

    @Test func `is rejected if it is invalid, incomplete or without size`() {
        let jpeg = Picture.jpeg(Picture.jfif)
        let png = Picture.png([])
        for file in [[], Array("GIF89a".utf8), [0xFF, 0xD8], secret] as [[UInt8]] {
            #expect(throws: PhotoFlaw.kind) { try PhotoFile(file) }
        }
        for file in [jpeg, png] {
            for count in 8..<file.count {
                #expect(throws: PhotoFlaw.self) { try PhotoFile(Array(file[..<count])) }
            }
        }
        let noSize = [0xFF, 0xD8] + Picture.segment(0xC0, [8, 0, 0, 0, 0, 1]) + Picture.scan
        #expect(throws: PhotoFlaw.broken) { try PhotoFile(noSize) }
        let large = [0xFF, 0xD8] + Picture.segment(0xC0, [8, 0xFF, 0xFF, 0xFF, 0xFF, 1])
        #expect(throws: PhotoFlaw.dimensions) { try PhotoFile(large + Picture.scan) }
        #expect(throws: PhotoFlaw.broken) { try PhotoFile([0xFF, 0xD8] + Picture.scan) }
        #expect(throws: PhotoFlaw.broken) {
            try PhotoFile(Picture.png(Picture.chunk("NeXt", [1])))
        }
    }

    /// `make fuzz-photos` does so for long.
    @Test func `is read or rejected for any bytes`() {
        var generator = SeededGenerator(seed: 13)
        let samples = RoundTrip.samples
        var read = 0
        for _ in 0..<20_000 {
            var file = samples[Int.random(in: 0..<4, using: &generator)]
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let index = Int.random(in: 0..<file.count, using: &generator)
                file[index] =
                    [0, 1, 0xFF, UInt8.random(in: 0...255, using: &generator)][
                        Int.random(in: 0..<4, using: &generator)]
            }
            if (try? PhotoFile(file)) != nil { read += 1 }
            let complaint = RoundTrip.complaint(about: file)
            #expect(complaint == nil)
        }
        #expect(read > 1000)
    }

    @Test(arguments: RoundTrip.samples) func `is read or rejected with extreme fields`(
        sample: [UInt8]
    ) {
        for file in ExtremeValues.variants(ofBytes: sample, limit: 600) {
            #expect(RoundTrip.complaint(about: file) == nil)
        }
    }
}
