package io.mongolock.dashboard;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;
import org.springframework.util.StringUtils;
import org.springframework.web.util.HtmlUtils;

import io.mongolock.LockOwner;
import io.mongolock.actuate.LocksEndpointWebExtension;

/**
 * Endpoint {@code mongolocksdashboard}: the page that shows the locks, and the files it
 * consists of. The page asks the endpoint {@code mongolocks} for the locks. If the
 * endpoint {@code mongojobs} exists, the page asks it for the jobs. Both requests have
 * the rights of the page's user. Thread-safe.
 */
@WebEndpoint(id = "mongolocksdashboard", defaultAccess = Access.READ_ONLY)
class DashboardEndpoint {

	static final EndpointId ID = EndpointId.of("mongolocksdashboard");

	static final EndpointId LOCKS = EndpointId.of("mongolocks");

	/** The endpoint of another module, which may not be there. */
	private static final EndpointId JOBS = EndpointId.of("mongojobs");

	private final PageFiles files = new PageFiles();

	private final Supplier<PathMappedEndpoints> paths;

	private final EndpointAccessResolver access;

	private final @Nullable LocksEndpointWebExtension locks;

	private final LockOwner owner;

	/**
	 * Create an endpoint.
	 * @param paths the paths of the endpoints, known once all of them are created
	 * @param access knows the access to the endpoints
	 * @param locks knows who may see owners, and who may release; {@code null} if the
	 * locks are not exposed
	 */
	DashboardEndpoint(Supplier<PathMappedEndpoints> paths, EndpointAccessResolver access,
			@Nullable LocksEndpointWebExtension locks, LockOwner owner) {
		this.paths = paths;
		this.access = access;
		this.locks = locks;
		this.owner = owner;
	}

	@ReadOperation(produces = "text/html")
	WebEndpointResponse<String> page(SecurityContext user) {
		String own = Objects.requireNonNull(this.paths.get().getRootPath(ID));
		// Relative to the page, whatever prefix its address has in the browser
		String up = "./" + "../".repeat(StringUtils.countOccurrencesOf(own, "/"));
		boolean releases = this.locks != null && this.locks.mayRelease(user) && isUnrestricted(LOCKS);
		boolean shown = this.locks != null && this.locks.showsOwners(user);
		// The answer with the jobs says whether the user's roles may change them
		Map<String, String> values = Map.of("self", "./" + own.substring(own.lastIndexOf('/') + 1), "locks",
				path(up, LOCKS), "release", String.valueOf(releases), "jobs", path(up, JOBS), "change",
				String.valueOf(isUnrestricted(JOBS)), "application", (shown) ? this.owner.application() : "",
				"instance", (shown) ? (this.owner.application() + " " + this.owner.instance()).trim() : "");
		String page = this.files.text(PageFiles.PAGE);
		for (Map.Entry<String, String> value : values.entrySet()) {
			page = page.replace("{{" + value.getKey() + "}}", HtmlUtils.htmlEscape(value.getValue()));
		}
		return new WebEndpointResponse<>(page, PageFiles.typeOf(PageFiles.PAGE));
	}

	private String path(String up, EndpointId endpoint) {
		String path = this.paths.get().getRootPath(endpoint);
		return (path != null) ? up + path : "";
	}

	private boolean isUnrestricted(EndpointId endpoint) {
		return this.access.accessFor(endpoint, Access.READ_ONLY) == Access.UNRESTRICTED;
	}

	@ReadOperation(produces = { "text/css", "text/javascript" })
	WebEndpointResponse<String> file(@Selector String file) {
		MimeType type = PageFiles.typeOf(file);
		return (this.files.has(file)) ? new WebEndpointResponse<>(this.files.text(file), type)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

}
