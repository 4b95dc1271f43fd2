import Dialects

/// The configuration of the nginx in front of the services: one origin, no authentication of its
/// own, no log of requests, since paths and queries may hold tokens.
struct NginxConfiguration: Sendable {
    /// The folder of its files, absolute; needed for ``text`` alone.
    var folder = ""
    /// Addresses with ports that it listens on, such as `127.0.0.1:8080`; likewise.
    var listen: [String] = []
    /// Those of ``listen`` that speak TLS, and the certificate for them.
    var tls: (listen: Set<String>, certificate: String, key: String)?
    var ports: Ports
    /// Whether the services run on this machine, wherever they look for each other; else they are
    /// where `JAGA_HOST_…` say.
    var areServicesHere = false
    /// Whether root starts it: its worker would be somebody else then, who cannot write large
    /// bodies into the folder.
    var isRoot = false

    /// Bodies up to here are passed on; larger ones are answered 413.
    static let bodyBytesMax = 1 << 20
    /// Phones send photos along, and some delete what is refused: ingest takes so much of them.
    /// Membership takes it of a file for a set, which has up to 10,000 zones.
    static let largeBodyBytesMax = 8 << 20
    /// Paths of phones' protocols, of files for sets, and of photos.
    static let largePaths: Set<String> = [
        "/pub", "/overland", "/overland/{token}", "/api/v1/overland/batches",
        "/v1/sets/{set}/zones/import", "/v1/people/{person}/journeys/{journey}/photos",
    ]
    /// OwnTracks on iOS sends a photo inside of its message, a third larger than it is, and deletes
    /// what is refused: a call for help may be in it.
    static let photoBodyBytesMax = 24 << 20
    /// What nginx holds of a body that it passes on; it reads no more of one sender at a time, so
    /// that others wait no longer than for that. Nothing of a report touches nginx's disk.
    static let bodyBufferBytes = 64 << 10
    /// Requests at a time whose body is larger than any but a photo's.
    static let hugeRequests = 2
    /// Idle connections to a service are closed before the service does it.
    static let idleSeconds = 30
    /// Requests of one address at a time; carriers have many phones behind one.
    static let requestsPerAddress = 512
    /// Requests with a large body at a time, and as many with one of unknown length; and of senders
    /// without credentials as many again.
    static let largeRequests = 24
    /// Of one address, so that nobody takes all of these.
    static let largeRequestsPerAddress = 8
    /// Further ones of one address before they are limited to one a second: a service refuses
    /// unknown senders at once, but nginx counts them for some seconds more.
    static let largeRequestsBurst = 24
    /// Connections; an idle one is closed where a new one finds no room.
    var connections = 4096

    /// The whole file.
    var text: String {
        """
        # Written by 'jaga up' at every start.
        daemon off;\(isRoot ? " user root;" : "")
        worker_processes 1;
        worker_rlimit_nofile \(2 * connections + 64);
        pid \(quoted("nginx.pid"));
        error_log stderr crit;

        events {
            worker_connections \(connections);
        }

        http {
        \(indent(http))
        }

        """
    }

    private var http: String {
        let server = "server {\n\(indent(listening + "\n\n" + routes))\n}"
        return [files, rules, server].joined(separator: "\n\n")
    }

    /// What stands in the block `http`, of this nginx or of somebody's own: how requests are passed
    /// on, and to whom.
    var rules: String {
        let asked = Service.allCases.filter { service in
            Routes.all.contains { $0.service == service }
        }
        return ([general, bodyLimits] + asked.map(upstream)).joined(separator: "\n\n")
    }

    private var files: String {
        """
        client_body_temp_path \(quoted("body"));
        proxy_temp_path \(quoted("proxy"));
        fastcgi_temp_path \(quoted("fastcgi"));
        uwsgi_temp_path \(quoted("uwsgi"));
        scgi_temp_path \(quoted("scgi"));
        """
    }

    private var general: String {
        """
        access_log off;
        server_tokens off;
        client_max_body_size \(Self.bodyBytesMax);
        client_body_buffer_size \(Self.bodyBufferBytes);
        proxy_max_temp_file_size 0;
        proxy_http_version 1.1;
        # Bodies are passed on as they come: a service reads credentials from the header and bounds
        # the time and the room of unknown senders, which nginx cannot tell from the others.
        proxy_request_buffering off;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_connect_timeout 2s;
        # Browsers that were here over TLS come no other way again.
        map $https $jaga_hsts {
            default "";
            on "max-age=31536000";
        }
        # Phones of OsmAnd's protocol come to the root; whoever says no name there is a reader.
        map "$request_method \(Self.names)" $reads_root {
            default 0;
            "~^(GET|HEAD) $" 1;
        }
        # Who is slow, or asks for too much at a time, keeps nobody else out.
        client_header_timeout 10s;
        client_body_timeout 20s;
        send_timeout 30s;
        lingering_time 3s;
        reset_timedout_connection on;
        # Who is one household: of IPv6 its network, in bytes, since texts leave zeros out.
        # 127.0.0.1 is nobody.
        map $binary_remote_addr $jaga_address {
            default $remote_addr;
            "~(?s)^(?!\\x00{8})(.{8}).{8}$" $1;
            "~^\\x7f\\x00\\x00\\x01$" "";
        }
        # Large bodies, and apart from them those of which nobody knows yet how large they are:
        # where large ones are taken, of GET too.
        map $uri $jaga_takes {
            default some;
            "~^(\(Self.largePatterns))/?$" large;
        }
        map "\(Self.lengths):$jaga_takes" $jaga_body {
            default "";
            "~^[^:]*:[^:]*:([3-9][0-9]{5}|[0-9]{7,}):" large;
            "~^[^:]*:[^:]*:[^:]*:[^:]" chunked;
            "~^(?!(GET|HEAD|OPTIONS):)[^:]*:HTTP/2[^:]*::" chunked;
            "~^[^:]*:HTTP/2[^:]*:::large$" chunked;
        }
        # Senders without any credentials have room of their own.
        map "$uri:\(Self.names)" $jaga_sender {
            default named;
            "~^(?!/overland/.)[^:]*:$" anonymous;
        }
        map "$jaga_body:$jaga_sender" $jaga_large {
            default "";
            "~^(?<jaga_kind>large|chunked):(?<jaga_who>.*)$" "$jaga_kind $jaga_who";
        }
        map "$jaga_body $jaga_address" $jaga_large_address {
            default "";
            "~(?s)^(large|chunked) ." "$jaga_body $jaga_address";
        }
        map $content_length $jaga_huge {
            default "";
            "~^(9[0-9]{6}|[0-9]{8,})$" all;
        }
        limit_conn_zone $jaga_address zone=jaga_addresses:10m;
        limit_conn_zone $jaga_large zone=jaga_large:1m;
        limit_conn_zone $jaga_large_address zone=jaga_large_addresses:10m;
        limit_req_zone $jaga_large_address zone=jaga_large_rates:10m rate=1r/s;
        limit_req_status 503;
        limit_req zone=jaga_large_rates burst=\(Self.largeRequestsBurst) nodelay;
        limit_conn jaga_addresses \(Self.requestsPerAddress);
        limit_conn jaga_large \(Self.largeRequests);
        limit_conn jaga_large_addresses \(Self.largeRequestsPerAddress);
        limit_conn_zone $jaga_huge zone=jaga_huge:1m;
        limit_conn jaga_huge \(Self.hugeRequests);
        """
    }

    private static let largePatterns = largePaths.sorted().map(Routes.Route.pattern(of:))
        .joined(separator: "|")
    /// What tells how large a body is.
    private static let lengths =
        "$request_method:$server_protocol:$content_length:$http_transfer_encoding"

    /// All by which a phone may say who it is.
    static let names = (PhoneIdentity.names.map { "arg_" + $0 } + ["http_authorization"])
        .map { "$" + $0 }.joined()

    private func upstream(_ service: Service) -> String {
        let host = areServicesHere ? ports.here : ports.host(of: service)
        return """
            upstream \(service.rawValue) {
                server \(host):\(ports.http(service));
                keepalive 32;
                keepalive_timeout \(Self.idleSeconds)s;
            }
            """
    }

    private func limit(of path: String) -> String {
        let most = Self.bodyBytesMax(of: path)
        guard most > Self.bodyBytesMax else { return "" }
        return "client_max_body_size \(most); "
    }

    private static func bodyBytesMax(of path: String) -> Int {
        guard largePaths.contains(path) else { return bodyBytesMax }
        return path == "/pub" ? photoBodyBytesMax : largeBodyBytesMax
    }

    /// What the address that was asked takes, for the answer to a larger body.
    private var bodyLimits: String {
        let large = Routes.all.filter { Self.bodyBytesMax(of: $0.path) > Self.bodyBytesMax }
        let lines = large.map {
            "\"~^\(Routes.Route.pattern(of: $0.path))/?$\" \(Self.bodyBytesMax(of: $0.path));"
        }
        return """
            map $uri $jaga_body_bytes {
                default \(Self.bodyBytesMax);
            \(indent(lines.joined(separator: "\n")))
            }
            """
    }

    private var listening: String {
        var lines = listen.map { address in
            "listen \(address)\(tls?.listen.contains(address) == true ? " ssl" : "");"
        }
        if let tls {
            lines += [
                "ssl_certificate \"\(tls.certificate)\";",
                "ssl_certificate_key \"\(tls.key)\";", "ssl_protocols TLSv1.2 TLSv1.3;",
            ]
        }
        return lines.joined(separator: "\n")
    }

    /// Turns off what nginx writes about requests, for an nginx whose log nobody masks.
    static let silence = """
        # Errors repeat the request line, which holds tokens and positions.
        error_log /dev/null emerg;
        """

    /// What stands in the block `server`: which path leads where.
    var routes: String {
        let routes = Routes.all.flatMap { route in
            let limit = limit(of: route.path)
            let page = route.path == "/" ? "if ($reads_root) { return 404; } " : ""
            // Nothing holds up a call for help, whoever else calls from there.
            let urgent = route.path == "/v1/emergencies" ? "limit_conn jaga_large 4096; " : ""
            let target = "\(urgent)\(page)proxy_pass http://\(route.service.rawValue);"
            return route.locations.map { "location \($0) { \(limit)\(target) }" }
        }
        let parts = [
            "add_header \(Self.hsts) always;", Self.answers.map(\.text).joined(separator: "\n"),
            (routes + ["location / { return 404; }"]).joined(separator: "\n"),
        ]
        return parts.joined(separator: "\n\n")
    }

    private static let hsts = "Strict-Transport-Security $jaga_hsts"

    /// nginx's own answers, in the form of the services' errors. A service that is just starting
    /// again is 503 with Retry-After, so that phones keep their reports and try again.
    private static let answers = [
        Answer(to: 404, title: "Not found", detail: "No service answers this path."),
        Answer(
            to: 405, title: "Method not allowed", detail: "This method does nothing here.",
            header: "Allow \"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\""),
        Answer(
            to: 413, title: "Too large",
            detail: "The body is larger than the $jaga_body_bytes bytes that this address takes: "
                + "send it in parts; a shape with fewer points, a smaller photo."),
        Answer(
            to: 502, as: 503, title: "Not available", detail: "The service is starting.",
            retrySeconds: 1),
        Answer(
            to: 503, title: "Not available", detail: "Too many requests at a time.",
            retrySeconds: 5),
        Answer(
            to: 504, as: 503, title: "Not available", detail: "The service is too slow just now.",
            retrySeconds: 5),
    ]

    private struct Answer {
        let status: Int
        let text: String

        init(
            to status: Int, as shown: Int? = nil, title: String, detail: String,
            retrySeconds: Int? = nil, header: String? = nil
        ) {
            self.status = status
            let shown = shown ?? status
            let body =
                #"{"type":"about:blank","title":"\#(title)","status":\#(shown),"#
                + #""detail":"\#(detail)"}"#
            // A header of a location replaces those of its server.
            let lines = [NginxConfiguration.hsts, header, retrySeconds.map { "Retry-After \($0)" }]
                .compactMap(\.self)
            let retry = lines.map { "\n    add_header \($0) always;" }.joined()
            text = """
                error_page \(status) = @answer\(status);
                location @answer\(status) {
                    default_type application/problem+json;\(retry)
                    return \(shown) '\(body)';
                }
                """
        }
    }

    private func quoted(_ file: String) -> String { "\"\(folder)/\(file)\"" }

    private func indent(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
}
