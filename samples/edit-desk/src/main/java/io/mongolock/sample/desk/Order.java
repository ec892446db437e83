package io.mongolock.sample.desk;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

import io.mongolock.mongodb.Sequence;

/**
 * An order for something the desk needs.
 *
 * @param number its number, given when it is saved
 * @param item what is ordered
 */
@Document("orders")
public record Order(@Id @Sequence("order") long number, String item) {

}
