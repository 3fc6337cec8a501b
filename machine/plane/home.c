/* home.c - packets that follow their words to other ranks, when a plane is closed.
 *
 * While a plane is open a packet stays stored where it was, and its word, which bears its name, moves. In the end
 * most words are at other ranks than their packets, and neither rank knows the other. So they meet at a third one,
 * rank name mod ranks: it is told by which rank a packet is offered and by which one it is needed, and tells the
 * first one to send it to the second. This is the host's work, and no step of the machine.
 * Cost: 8 bytes for each packet that moves and each of these messages, for some time; O(1) a packet.
 */
#include "machine/border.h"
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In machine->next: this rank put the packet into the plane, and has it still. A packet under way has none. */
#define OPENED (UINT64_MAX - 1)

void plane_note_opened(struct machine *machine, uint64_t number, uint32_t packet)
{
    machine->plane->opened[number] = packet;
    machine->next[packet] = OPENED;
}

/* Returns whether this rank has the packet of that name, for the plane. */
static bool is_here(const struct machine *machine, uint32_t name)
{
    uint32_t packet = packet_of_name(&machine->header, name);
    return packet < machine->pool.room && machine->next[packet] == OPENED &&
           packet_name(&machine->header, packet) == name;
}

/* ---- messages of one word ---- */

/* Words to ranks in any order, and then those that came, in the order of ranks. */
struct mail {
    struct machine *machine;
    uint32_t ranks;
    size_t count, room;
    uint64_t *word;
    uint32_t *to;
    size_t *bytes; /* [ranks]: from each */
};

static void mail_free(struct mail *mail)
{
    free(mail->word);
    free(mail->to);
    free(mail->bytes);
    mail->word = NULL;
    mail->to = NULL;
    mail->bytes = NULL;
}

/* Makes room for so many words. False: no memory; the failure is kept. */
static bool mail_make(struct mail *mail, struct machine *machine, size_t room)
{
    uint32_t ranks = ranks_size(machine->config.ranks);
    *mail = (struct mail){.machine = machine,
                          .ranks = ranks,
                          .room = room,
                          .word = memory_allocate(room + 1, sizeof *mail->word),
                          .to = memory_allocate(room + 1, sizeof *mail->to),
                          .bytes = memory_allocate(ranks, sizeof *mail->bytes)};
    if (mail->word != NULL && mail->to != NULL && mail->bytes != NULL)
        return true;
    fail_memory(&machine->rank_failure, "messages to other ranks");
    mail_free(mail);
    return false;
}

static void mail_add(struct mail *mail, uint32_t to, uint64_t word)
{
    assert(mail->count < mail->room);
    mail->to[mail->count] = to;
    mail->word[mail->count++] = word;
}

/* Returns the words in the order of their ranks, and counts the bytes for each; NULL: no memory. */
static uint64_t *mail_sorted(struct mail *mail)
{
    uint64_t *sorted = memory_allocate(mail->count + 1, sizeof *sorted);
    size_t *next = memory_allocate(mail->ranks, sizeof *next), before = 0;
    memset(mail->bytes, 0, mail->ranks * sizeof *mail->bytes);
    for (size_t i = 0; i < mail->count; i++)
        mail->bytes[mail->to[i]] += sizeof *sorted;
    for (uint32_t i = 0; next != NULL && i < mail->ranks; i++) {
        next[i] = before;
        before += mail->bytes[i] / sizeof *sorted;
    }
    for (size_t i = 0; sorted != NULL && next != NULL && i < mail->count; i++)
        sorted[next[mail->to[i]]++] = mail->word[i];
    if (next == NULL) {
        free(sorted);
        sorted = NULL;
    }
    free(next);
    return sorted;
}

/* Sends all words, and takes in what comes in their place. False: it failed. */
static bool mail_swap(struct mail *mail)
{
    struct failure *failure = &mail->machine->rank_failure;
    uint64_t *sorted = mail_sorted(mail);
    void *all = NULL;
    if (sorted == NULL)
        fail_memory(failure, "messages to other ranks");
    if (failure->kind == FAIL_NONE)
        ranks_swap(mail->machine->config.ranks, sorted, mail->bytes, &all, failure);
    free(sorted);
    free(mail->word);
    free(mail->to);
    mail->word = all;
    mail->to = NULL;
    mail->count = 0;
    for (uint32_t i = 0; all != NULL && i < mail->ranks; i++)
        mail->count += mail->bytes[i] / sizeof *mail->word;
    return all != NULL;
}

/* ---- where packets come to rest ---- */

static void add_resting(struct mail *resting, node_index node, uint64_t *word)
{
    const struct machine *machine = resting->machine;
    uint32_t row = node / machine->config.mesh.cols;
    if (*word != PLANE_EMPTY)
        mail_add(resting, ranks_owner(machine->config.ranks, machine->config.mesh.rows, row),
                 (uint64_t)node << 32 | (uint32_t)*word);
    *word = PLANE_EMPTY;
}

/* Empties the plane, and lists nodes of this rank with the names of the packets that come to rest there: node << 32 |
 * name, in the order of the cells. */
static bool list_resting(struct machine *machine, struct mail *resting)
{
    struct plane *plane = machine->plane;
    struct node_range own = machine_nodes(machine);
    size_t count = 0;
    for (node_index cell = own.first; cell < own.end; cell++)
        count +=
            (plane->word[cell] != PLANE_EMPTY) + (size_t)(plane->backward[cell] != PLANE_EMPTY);
    if (!mail_make(resting, machine, count))
        return false;
    for (node_index cell = own.first; cell < own.end; cell++) {
        node_index node = plane_node_of_cell(machine, cell);
        add_resting(resting, node, &plane->word[cell]);
        add_resting(resting, node, &plane->backward[cell]);
    }
    /* cells of paired columns may be at nodes of other ranks */
    return !plane->pairing.is_on || !plane->pairing.lines.are_columns || mail_swap(resting);
}

/* Lets what is known of packets be on its way to the processor some packets before it is looked at. */
enum { AHEAD = 16 };

static inline void fetch_name(const struct machine *machine, const struct mail *mail, size_t i)
{
    if (i < mail->count)
        __builtin_prefetch(&machine->header.slot_of_name[(uint32_t)mail->word[i]]);
}

static inline void fetch_packet(const struct machine *machine, const struct mail *mail, size_t i)
{
    if (i >= mail->count)
        return;
    uint32_t packet = packet_of_name(&machine->header, (uint32_t)mail->word[i]);
    __builtin_prefetch(&machine->next[packet]);
    __builtin_prefetch(&machine->header.name[packet]);
}

/* The list has the packets' ids now. */
static void put_down(struct machine *machine, const struct mail *resting)
{
    for (size_t i = 0; i < resting->count; i++) {
        node_index node = (node_index)(resting->word[i] >> 32);
        if (i + AHEAD < resting->count)
            __builtin_prefetch(&machine->next[(uint32_t)resting->word[i + AHEAD]]);
        machine_rest(machine, node, (uint32_t)resting->word[i]);
        machine->occupancy[node]++;
    }
}

/* ---- who has a packet, who needs it ---- */

#define NEEDED (UINT64_C(1) << 32) /* in a word with a name: it is needed; else it is offered */

static const uint64_t LOW = UINT32_MAX; /* of a word: the name, or the packet */

/* Puts packets that are here into the list, in the place of their names; returns the places of the others, *count of
 * them, or NULL: no memory. */
static uint32_t *find_here(struct machine *machine, struct mail *resting, size_t *count)
{
    uint32_t *absent = memory_allocate(resting->count + 1, sizeof *absent);
    *count = 0;
    if (absent == NULL)
        fail_memory(&machine->rank_failure, "messages to other ranks");
    for (size_t i = 0; absent != NULL && i < resting->count; i++) {
        uint32_t name = (uint32_t)resting->word[i];
        fetch_name(machine, resting, i + 2 * AHEAD);
        fetch_packet(machine, resting, i + AHEAD);
        if (!is_here(machine, name)) {
            absent[(*count)++] = (uint32_t)i;
            continue;
        }
        uint32_t packet = packet_of_name(&machine->header, name);
        machine->next[packet] = MACHINE_NONE; /* it stays */
        resting->word[i] = (resting->word[i] & ~LOW) | packet;
    }
    return absent;
}

/* Tells the third ranks which packets this rank offers and needs. */
static bool ask(struct machine *machine, const struct mail *resting, const uint32_t *absent,
                size_t needs, struct mail *mail)
{
    const struct plane *plane = machine->plane;
    const uint32_t *opened = plane->opened;
    size_t offers = 0;
    for (uint32_t i = 0; i < plane->own_packets; i++)
        offers += machine->next[opened[i]] == OPENED;
    if (absent == NULL || !mail_make(mail, machine, needs + offers))
        return false;
    for (size_t i = 0; i < needs; i++) {
        uint32_t name = (uint32_t)resting->word[absent[i]];
        mail_add(mail, name % mail->ranks, name | NEEDED);
    }
    for (uint32_t i = 0; i < plane->own_packets; i++) {
        uint32_t name = packet_name(&machine->header, opened[i]);
        if (machine->next[opened[i]] == OPENED)
            mail_add(mail, name % mail->ranks, name);
    }
    return mail_swap(mail);
}

/* A name and the rank that offers its packet. */
struct offer {
    uint32_t name, rank;
};

/* The offers by names: open addressing. */
struct offers {
    struct offer *offer;
    size_t mask;
};

static size_t place_of_offer(const struct offers *offers, uint32_t name)
{
    size_t at = (name * UINT64_C(0x9e3779b97f4a7c15) >> 20) & offers->mask;
    while (offers->offer[at].name != name && offers->offer[at].name != MACHINE_NONE)
        at = (at + 1) & offers->mask;
    return at;
}

static bool offers_make(struct offers *offers, const struct mail *mail)
{
    size_t count = 0, size = 1, word = 0;
    for (size_t i = 0; i < mail->count; i++)
        count += (mail->word[i] & NEEDED) == 0;
    while (size < 2 * count + 1)
        size *= 2;
    *offers = (struct offers){memory_allocate(size, sizeof *offers->offer), size - 1};
    if (offers->offer == NULL)
        return false;
    memset(offers->offer, 0xff, size * sizeof *offers->offer);
    for (uint32_t rank = 0; rank < mail->ranks; rank++)
        for (size_t end = word + mail->bytes[rank] / sizeof *mail->word; word < end; word++)
            if ((mail->word[word] & NEEDED) == 0) {
                uint32_t name = (uint32_t)mail->word[word];
                offers->offer[place_of_offer(offers, name)] = (struct offer){name, rank};
            }
    return true;
}

/* Tells those that offer packets, as the third rank, where to send them: the rank, and the name. */
static bool answer(struct machine *machine, struct mail *asked, struct mail *mail)
{
    struct offers offers;
    if (!offers_make(&offers, asked)) {
        fail_memory(&machine->rank_failure, "messages to other ranks");
        return false;
    }
    bool has_room = mail_make(mail, machine, asked->count);
    size_t word = 0;
    for (uint32_t rank = 0; has_room && rank < asked->ranks; rank++)
        for (size_t end = word + asked->bytes[rank] / sizeof *asked->word; word < end; word++) {
            uint32_t name = (uint32_t)asked->word[word];
            if ((asked->word[word] & NEEDED) == 0)
                continue;
            const struct offer *offer = &offers.offer[place_of_offer(&offers, name)];
            assert(offer->name == name);
            mail_add(mail, offer->rank, (uint64_t)rank << 32 | name);
        }
    free(offers.offer);
    return has_room && mail_swap(mail);
}

/* ---- packets ---- */

/* Sends the packets to where `told` says, whose words become the packets that have gone, in the order of ranks. */
static bool send(struct machine *machine, struct mail *told, struct parcel *parcel)
{
    told->to = memory_allocate(told->count + 1, sizeof *told->to);
    for (size_t i = 0; told->to != NULL && i < told->count; i++)
        told->to[i] = (uint32_t)(told->word[i] >> 32);
    uint64_t *sorted = told->to != NULL ? mail_sorted(told) : NULL;
    if (sorted == NULL) {
        fail_memory(&machine->rank_failure, "messages to other ranks");
        return false;
    }
    free(told->word);
    told->word = sorted;
    parcel_reserve(machine, parcel, told->count);
    for (size_t i = 0, rank = 0, left; rank < told->ranks; rank++) {
        size_t before = parcel->bytes;
        for (left = told->bytes[rank] / sizeof *sorted; left > 0; left--, i++) {
            fetch_name(machine, told, i + 2 * AHEAD);
            fetch_packet(machine, told, i + AHEAD);
            uint32_t packet = packet_of_name(&machine->header, (uint32_t)sorted[i]);
            machine->next[packet] = MACHINE_NONE;
            border_pack(machine, parcel, packet);
            sorted[i] = packet;
        }
        told->bytes[rank] = parcel->bytes - before;
    }
    return machine->rank_failure.kind == FAIL_NONE;
}

/* Takes in the packets that come, in the place of those that have gone. */
static void receive(struct machine *machine, const struct mail *told, struct parcel *parcel)
{
    size_t gone = 0;
    while (parcel->bytes < parcel->room) {
        uint32_t place = gone < told->count ? (uint32_t)told->word[gone++] : MACHINE_NONE;
        if (border_unpack(machine, parcel, place) == MACHINE_NONE)
            return;
    }
    for (; gone < told->count; gone++) {
        uint32_t packet = (uint32_t)told->word[gone];
        pool_drop(&machine->pool, machine->pool.gone[0], machine->header.packet[packet].first, packet);
    }
}

static bool exchange(struct machine *machine, struct mail *told)
{
    struct parcel parcel = {NULL, 0, 0};
    struct failure *failure = &machine->rank_failure;
    void *all = NULL;
    if (send(machine, told, &parcel))
        ranks_swap(machine->config.ranks, parcel.content, told->bytes, &all, failure);
    free(parcel.content);
    parcel = (struct parcel){all, 0, 0};
    for (uint32_t rank = 0; all != NULL && rank < told->ranks; rank++)
        parcel.room += told->bytes[rank];
    if (all != NULL)
        receive(machine, told, &parcel);
    free(all);
    return failure->kind == FAIL_NONE;
}

void plane_put_down(struct machine *machine)
{
    struct mail resting = {NULL}, asked = {NULL}, told = {NULL};
    uint32_t *absent = NULL;
    size_t needs = 0;
    if (list_resting(machine, &resting))
        absent = find_here(machine, &resting, &needs);
    if (ask(machine, &resting, absent, needs, &asked) && answer(machine, &asked, &told) &&
        exchange(machine, &told)) {
        for (size_t i = 0; i < needs; i++) {
            uint64_t *word = &resting.word[absent[i]];
            *word = (*word & ~LOW) | packet_of_name(&machine->header, (uint32_t)*word);
        }
        put_down(machine, &resting);
    }
    free(absent);
    mail_free(&resting);
    mail_free(&asked);
    mail_free(&told);
}
