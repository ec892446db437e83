package io.mongolock.jobs;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint that shows the jobs.
 *
 * @param showValues who sees which instances and users run and pause jobs, and the
 * messages of exceptions
 * @param roles roles of which a user needs one to change jobs, and to see these values if
 * that depends on the user; any user if there are none
 */
@ConfigurationProperties("management.endpoint.mongojobs")
record JobsEndpointProperties(@DefaultValue("when-authorized") Show showValues, @DefaultValue Set<String> roles) {

}
