package io.mongolock.dashboard;

import java.util.List;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * The live part of the page. It is not an endpoint, because an endpoint cannot stream. It
 * names keys, so it is below the path of the locks and on the port of the actuator: only
 * users who may read the locks may listen.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBean(DashboardEndpoint.class)
class DashboardManagementConfiguration {

	/** Before the mapping of the endpoints, which would refuse a stream of events. */
	private static final int ORDER = -101;

	private static String path(PathMappedEndpoints paths) {
		return paths.getPath(DashboardEndpoint.LOCKS) + "/events";
	}

	// No stream if the locks are not exposed. A lock may have the key "events", but is
	// requested as JSON
	private static boolean isForEvents(PathMappedEndpoints paths, List<MediaType> accepted) {
		return paths.getPath(DashboardEndpoint.LOCKS) != null && accepted.contains(MediaType.TEXT_EVENT_STREAM);
	}

	/**
	 * For a servlet application.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@ConditionalOnClass(DispatcherServlet.class)
	static class Servlets {

		@Bean
		ServletStreams mongoLocksDashboardStreams(ActivitySource source) {
			return new ServletStreams(source);
		}

		@Bean
		RouterFunctionMapping mongoLocksDashboardMapping(ServletStreams streams, PathMappedEndpoints paths,
				ObjectProvider<RequestMappingHandlerAdapter> adapter) {
			RouterFunctionMapping mapping = new RouterFunctionMapping(RouterFunctions
				.route(RequestPredicates.GET(path(paths))
					.and((request) -> isForEvents(paths, request.headers().accept())), streams::open)
				.andRoute((request) -> isRefused(paths, request), Servlets::refuse));
			adapter.ifUnique((unique) -> mapping.setMessageConverters(unique.getMessageConverters()));
			mapping.setOrder(ORDER);
			return mapping;
		}

		// The error page of a separate port has only JSON, and would answer 406 instead
		private static boolean isRefused(PathMappedEndpoints paths, ServerRequest request) {
			return request.servletRequest().getDispatcherType() == DispatcherType.ERROR
					&& isForEvents(paths, request.headers().accept())
					&& request.attribute(RequestDispatcher.ERROR_REQUEST_URI)
						.filter((uri) -> uri.toString().endsWith(path(paths)))
						.isPresent();
		}

		private static ServerResponse refuse(ServerRequest request) {
			return ServerResponse.status((Integer) request.attribute(RequestDispatcher.ERROR_STATUS_CODE).orElse(500))
				.build();
		}

	}

	/**
	 * For a reactive application.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@ConditionalOnClass(DispatcherHandler.class)
	static class Reactive {

		@Bean
		ReactiveStreams mongoLocksDashboardStreams(ActivitySource source) {
			return new ReactiveStreams(source);
		}

		@Bean
		org.springframework.web.reactive.function.server.support.RouterFunctionMapping mongoLocksDashboardMapping(
				ReactiveStreams streams, PathMappedEndpoints paths) {
			org.springframework.web.reactive.function.server.support.RouterFunctionMapping mapping = new org.springframework.web.reactive.function.server.support.RouterFunctionMapping(
					org.springframework.web.reactive.function.server.RouterFunctions
						.route(org.springframework.web.reactive.function.server.RequestPredicates.GET(path(paths))
							.and((request) -> isForEvents(paths, request.headers().accept())), streams::open));
			mapping.setOrder(ORDER);
			return mapping;
		}

	}

}
