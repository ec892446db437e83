package io.mongolock.sample.orders;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * One run of the settlement.
 *
 * @param id given by MongoDB
 * @param instance which instance ran it
 * @param startedAt when it started
 * @param orders how many orders it closed
 */
@Document("settlements")
public record Settlement(@Id @Nullable String id, String instance, Instant startedAt, int orders) {

}
