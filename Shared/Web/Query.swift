import Parsing

/// Name and value pairs of a query string or of a form.
public typealias Query = Parsing.Query
/// Percent escapes of URLs.
public typealias Percent = Parsing.Percent
