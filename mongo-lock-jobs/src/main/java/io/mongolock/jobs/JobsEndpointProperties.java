package io.mongolock.jobs;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint that shows the jobs.
 *
 * @param showValues to whom it is shown who runs and pauses jobs, and what exceptions say
 * @param roles one of which a user has to have to change jobs, and to be shown that if it
 * depends on the user; any user if there are none
 */
@ConfigurationProperties("management.endpoint.mongojobs")
record JobsEndpointProperties(@DefaultValue("when-authorized") Show showValues, @DefaultValue Set<String> roles) {

}
