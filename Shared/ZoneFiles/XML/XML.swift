import CExpat

/// An element of XML, by its name without prefix.
struct XMLStart {
    let name: String
    /// By their names without prefix.
    let attributes: [String: String]
    /// From 1.
    let line: Int
}

/// Whoever is told of a file's elements one after the other.
protocol XMLVisitor: AnyObject {
    func begin(_ element: XMLStart) throws(FileError)
    /// - Parameter text: what stands between the last tag before this one and this one
    func end(_ name: String, text: String, line: Int) throws(FileError)
}

/// Reads XML by expat: well-formed or refused. Document types are refused, so no entity can be
/// declared, none grows and none reads another file.
enum XML {
    static func read(
        _ bytes: [UInt8], _ operation: String, _ visitor: any XMLVisitor
    ) throws(FileError) {
        guard let parser = XML_ParserCreate(nil) else {
            throw FileError(
                .tooMuch, operation, "there is no memory for the reader", hint: "try again later")
        }
        defer { XML_ParserFree(parser) }
        let run = XMLRun(parser, operation, visitor)
        XML_SetUserData(parser, Unmanaged.passUnretained(run).toOpaque())
        XML_SetElementHandler(parser, elementBegins, elementEnds)
        XML_SetCharacterDataHandler(parser, textComes)
        XML_SetStartDoctypeDeclHandler(parser, documentTypeBegins)
        let status = bytes.withUnsafeBytes { buffer in
            XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(buffer.count), 1)
        }
        if let fault = run.fault { throw fault }
        guard status == XML_STATUS_OK else {
            let code = XML_GetErrorCode(parser)
            let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "not well-formed"
            throw FileError(
                .malformed, operation, at: .line(run.line), "this is no XML: \(reason)",
                hint: code == XML_ERROR_UNKNOWN_ENCODING
                    ? "save the file as UTF-8" : "is the file complete?")
        }
    }
}

/// One reading of a file, while expat goes through it.
private final class XMLRun {
    private let parser: XML_Parser
    private let operation: String
    private let visitor: any XMLVisitor
    private var depth = 0
    private var text: [UInt8] = []
    private(set) var fault: FileError?

    init(_ parser: XML_Parser, _ operation: String, _ visitor: any XMLVisitor) {
        self.parser = parser
        self.operation = operation
        self.visitor = visitor
    }

    var line: Int { max(1, Int(XML_GetCurrentLineNumber(parser))) }

    func begin(_ name: String, _ attributes: [String: String]) {
        depth += 1
        text.removeAll(keepingCapacity: true)
        guard depth <= FileLimits.depthMax else {
            return stop(
                FileError(
                    .tooMuch, operation, at: .line(line),
                    "elements are nested more than \(FileLimits.depthMax) deep",
                    hint: "is this the right file?"))
        }
        perform { () throws(FileError) in
            try visitor.begin(
                XMLStart(name: XMLRun.local(name), attributes: attributes, line: line))
        }
    }

    func end(_ name: String) {
        depth -= 1
        let words = String(decoding: text, as: UTF8.self)
        text.removeAll(keepingCapacity: true)
        perform { () throws(FileError) in
            try visitor.end(XMLRun.local(name), text: words, line: line)
        }
    }

    func add(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

    func refuseDocumentType() {
        stop(
            FileError(
                .unsupported, operation, at: .line(line), "document types are not read",
                hint: "remove the DOCTYPE"))
    }

    private func perform(_ work: () throws(FileError) -> Void) {
        guard fault == nil else { return }
        do { try work() } catch { stop(error) }
    }

    private func stop(_ error: FileError) {
        guard fault == nil else { return }
        fault = error
        _ = XML_StopParser(parser, 0)
    }

    /// A name without the prefix of its namespace.
    static func local(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.index(after: $0)...]) }
            ?? name
    }
}

private func run(_ data: UnsafeMutableRawPointer?) -> XMLRun? {
    data.map { Unmanaged<XMLRun>.fromOpaque($0).takeUnretainedValue() }
}

private func elementBegins(
    _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    guard let run = run(data), let name else { return }
    var attributes: [String: String] = [:]
    var index = 0
    while let key = pairs?[index], let value = pairs?[index + 1] {
        attributes[XMLRun.local(String(cString: key))] = String(cString: value)
        index += 2
    }
    run.begin(String(cString: name), attributes)
}

private func elementEnds(_ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    guard let run = run(data), let name else { return }
    run.end(String(cString: name))
}

private func textComes(
    _ data: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32
) {
    guard let run = run(data), let text else { return }
    text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        run.add(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
}

private func documentTypeBegins(
    _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ system: UnsafePointer<CChar>?, _ publicID: UnsafePointer<CChar>?, _ hasInternal: Int32
) {
    run(data)?.refuseDocumentType()
}
