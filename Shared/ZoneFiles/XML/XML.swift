import CExpat

/// Start tag of an XML element, with its local name.
struct XMLStart {
    let name: String
    /// Attributes by local name.
    let attributes: [String: String]
    /// Line number, starting at 1.
    let line: Int
}

/// Receives the elements of an XML file in document order.
protocol XMLVisitor: AnyObject {
    func begin(_ element: XMLStart) throws(FileError)
    /// Called at the end of an element.
    ///
    /// - Parameter text: the text since the previous tag
    func end(_ name: String, text: String, line: Int) throws(FileError)
}

/// Reads XML with expat.
///
/// Malformed files and document types are rejected. Without a document type no entities can be
/// declared, so none can expand or read other files.
enum XML {
    static func read(
        _ bytes: [UInt8], _ operation: String, _ visitor: any XMLVisitor
    ) throws(FileError) {
        guard let parser = XML_ParserCreate(nil) else {
            throw FileError(
                .tooMuch, operation, "out of memory", hint: "Try again later.")
        }
        defer { XML_ParserFree(parser) }
        let run = XMLRun(parser, operation, visitor)
        XML_SetUserData(parser, Unmanaged.passUnretained(run).toOpaque())
        XML_SetElementHandler(parser, elementBegan, elementEnded)
        XML_SetCharacterDataHandler(parser, textArrived)
        XML_SetStartDoctypeDeclHandler(parser, documentTypeBegan)
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
                .malformed, operation, at: .line(run.line), "this is not XML: \(reason)",
                hint: code == XML_ERROR_UNKNOWN_ENCODING
                    ? "Save the file as UTF-8." : "Check that the file is complete.")
        }
    }
}

/// State of one parser run.
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
                    hint: "Check that this is the right file."))
        }
        perform { () throws(FileError) in
            try visitor.begin(
                XMLStart(name: XMLRun.local(name), attributes: attributes, line: line))
        }
    }

    func end(_ name: String) {
        depth -= 1
        let content = String(decoding: text, as: UTF8.self)
        text.removeAll(keepingCapacity: true)
        perform { () throws(FileError) in
            try visitor.end(XMLRun.local(name), text: content, line: line)
        }
    }

    func add(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

    func rejectDocumentType() {
        stop(
            FileError(
                .unsupported, operation, at: .line(line), "document types are not supported",
                hint: "Remove the DOCTYPE."))
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

    /// A name without its namespace prefix.
    static func local(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.index(after: $0)...]) }
            ?? name
    }
}

private func run(_ data: UnsafeMutableRawPointer?) -> XMLRun? {
    data.map { Unmanaged<XMLRun>.fromOpaque($0).takeUnretainedValue() }
}

private func elementBegan(
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

private func elementEnded(_ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    guard let run = run(data), let name else { return }
    run.end(String(cString: name))
}

private func textArrived(
    _ data: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32
) {
    guard let run = run(data), let text else { return }
    text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        run.add(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
}

private func documentTypeBegan(
    _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ system: UnsafePointer<CChar>?, _ publicID: UnsafePointer<CChar>?, _ hasInternal: Int32
) {
    run(data)?.rejectDocumentType()
}
