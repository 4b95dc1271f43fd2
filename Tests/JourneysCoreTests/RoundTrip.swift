import Model

@testable import JourneysCore

/// The law that a fuzzer holds the reader of photos to: what is kept of a file is a photo again,
/// the same to the last byte, no larger, and tells nothing any more.
enum RoundTrip {
    /// What is wrong with how these bytes are read; nil = nothing.
    static func complaint(about file: [UInt8]) -> String? {
        guard let photo = try? PhotoFile(file) else { return nil }
        guard let again = try? PhotoFile(photo.bytes) else { return "what was kept is no photo" }
        if again.bytes != photo.bytes { return "something is left out the second time" }
        if photo.bytes.count > file.count { return "the photo has grown" }
        if again.time != nil || again.position != nil || again.orientation != 1 {
            return "what was kept still tells something"
        }
        if again.width != photo.width || again.height != photo.height || again.kind != photo.kind {
            return "the picture is another one"
        }
        return nil
    }

    static var samples: [[UInt8]] {
        let text = Array("text".utf8)
        return [true, false].flatMap { isLittle -> [[UInt8]] in
            let exif = Picture.exif(isLittle: isLittle)
            return [
                Picture.jpeg(
                    Picture.jfif + Picture.segment(0xE1, Array("Exif\0\0".utf8) + exif)
                        + Picture.adobe + Picture.segment(0xFE, text)),
                Picture.png(Picture.chunk("eXIf", exif) + Picture.chunk("tEXt", text)),
            ]
        }
    }
}
